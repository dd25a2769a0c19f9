"""Settings for every test."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "clusterbits", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("clusterbits")
