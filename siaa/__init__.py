"""SIAA core: analysis, search, ranking and fragments of Spanish administrative and judicial documents.

Neither HTTP nor a language model is known here; `indexer` (offline) and `service` (online) both stand on it.
"""

__version__ = "0.1.0"
