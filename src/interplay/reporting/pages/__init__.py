"""What pages show, whether a server sends them or a folder holds them."""
