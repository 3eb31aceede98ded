"""Build index generations offline: corpus/ becomes index_data/."""
