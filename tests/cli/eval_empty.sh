# Nothing to run is no error.
exec "$CSPVM" -e ''
