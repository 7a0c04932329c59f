"""The sealed network: Linux namespaces in which only the kit's own names, certificates and ports exist."""
