"""What pages of the site are made of at build time: tables out of the code, files of the repository, notebooks."""
