"""The endpoints of the contract, and what they show."""
