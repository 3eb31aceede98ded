"""What every endpoint shares: parameters, errors, bytes, limits, logs."""
