"""Only that region's API is a region's URL (contract section 2)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gco_reference.aggregator.endpoints import regional_host

REGION, SUFFIX = "eu-west-1", "amazonaws.com"
HOST = "abc123.execute-api.eu-west-1.amazonaws.com"


@pytest.mark.parametrize(
    "url",
    [
        f"https://{HOST}/prod",
        f"https://{HOST}/prod/",
        f"https://{HOST}/prod///",
        f"https://{HOST}:443/prod",
        f" \t https://{HOST.upper()}/prod \n",
        f"HTTPS://{HOST}/prod",
    ],
)
def test_every_way_to_write_the_url_is_the_same_host(url: str) -> None:
    assert regional_host(url, REGION, SUFFIX) == HOST


@pytest.mark.parametrize(
    "url",
    [
        "",
        f"http://{HOST}/prod",
        f"//{HOST}/prod",
        HOST,
        f"https://user@{HOST}/prod",
        f"https://user:password@{HOST}/prod",
        f"https://@{HOST}/prod",
        f"https://{HOST}:8443/prod",
        f"https://{HOST}:80/prod",
        f"https://{HOST}:/prod",
        f"https://{HOST}",
        f"https://{HOST}/",
        f"https://{HOST}/dev",
        f"https://{HOST}/PROD",
        f"https://{HOST}/prod/v1",
        f"https://{HOST}//prod",
        f"https://{HOST}/pr%6Fd",
        f"https://{HOST}/prod/../dev",
        f"https://{HOST}/prod?x=1",
        f"https://{HOST}/prod?",
        f"https://{HOST}/prod#x",
        f"https://{HOST}/pr\nod",
        f"https://{HOST}./prod",
        f"https://{HOST}.example/prod",
        f"https://{HOST}\\@evil.example/prod",
        f"https://evil.example/{HOST}/prod",
        "https://abc123.execute-api.us-east-1.amazonaws.com/prod",
        "https://abc123.execute-api.eu-west-1.amazonaws.com.cn/prod",
        "https://abc-123.execute-api.eu-west-1.amazonaws.com/prod",
        "https://a.b.execute-api.eu-west-1.amazonaws.com/prod",
        "https://.execute-api.eu-west-1.amazonaws.com/prod",
        "https://execute-api.eu-west-1.amazonaws.com/prod",
        "https://abcKelvin\u212a.execute-api.eu-west-1.amazonaws.com/prod",
        "https://abc\u0661.execute-api.eu-west-1.amazonaws.com/prod",
    ],
)
def test_nothing_else_is_accepted_and_the_error_keeps_the_url_to_itself(url: str) -> None:
    with pytest.raises(ValueError, match="isn't the URL of that region's API") as caught:
        regional_host(url, REGION, SUFFIX)
    assert not url or url not in str(caught.value)


@settings(deadline=None)
@given(
    api=st.from_regex(r"[a-z0-9]+", fullmatch=True),
    region=st.from_regex(r"[a-z]{2,4}(-[a-z0-9]+)+-[0-9]+", fullmatch=True),
    suffix=st.sampled_from(["amazonaws.com", "amazonaws.com.cn", "c2s.ic.gov", "cloud.adc-e.uk", "amazonaws.eu"]),
    slashes=st.integers(0, 3),
)
def test_any_api_of_any_region_and_partition(api: str, region: str, suffix: str, slashes: int) -> None:
    host = f"{api}.execute-api.{region}.{suffix}"
    assert regional_host(f"https://{host}/prod{'/' * slashes}", region, suffix) == host


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("htps:/@.?#\\abcprodexecute-apieuwest1amazonawscom443 %\n\t")))
def test_text_from_the_parts_of_a_url_never_leads_elsewhere(text: str) -> None:
    try:
        host = regional_host(text, REGION, SUFFIX)
    except ValueError:
        return
    assert host.endswith(f".execute-api.{REGION}.{SUFFIX}")
    assert "/" not in host
    assert "@" not in host
