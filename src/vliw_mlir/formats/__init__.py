"""Program files: writing bundles as JSON or as a listing, and reading JSON back."""
