"""The kit's own short model of the contract."""
