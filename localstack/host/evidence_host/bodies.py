"""Bodies reach functions as they were sent.

LocalStack inflates a gzip body at its edge, and calls it `identity`. API Gateway with binary media types hands it on, and
our functions undo it: that, its limits and what they answer to broken bodies are to be tested here as well.
"""

from localstack.aws import handlers
from localstack.runtime import hooks

# Both addresses of a REST API.
API_PATHS = ("/restapis/", "/_aws/execute-api/")


def keep_compressed(_chain, context, _response) -> None:
    """Space around a value means nothing in HTTP (RFC 9110, 5.5), and the edge knows `gzip` without it alone."""
    request = context.request
    if request.path.startswith(API_PATHS) and "content-encoding" in request.headers:
        request.headers["content-encoding"] += " "


@hooks.on_infra_start()
def keep_bodies_compressed() -> None:
    handlers.preprocess_request.append(keep_compressed)
