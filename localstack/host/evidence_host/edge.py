"""What LocalStack's edge does to requests, put right through its hooks."""

import hypercorn
from localstack.aws import handlers
from localstack.runtime import hooks

# Both addresses of a REST API.
API_PATHS = ("/restapis/", "/_aws/execute-api/")

# Clients keep idle connections for 4 s (Node's fetch) and more. The server's default of 5 s closes them under a request on a
# busy machine, and nobody may repeat a POST that broke; AWS keeps them for minutes.
KEEP_ALIVE_SECONDS = 300


def keep_compressed(_chain, context, _response) -> None:
    """Space around a value means nothing in HTTP (RFC 9110, 5.5), and the edge knows `gzip` without it alone.

    The edge inflates a gzip body and calls it `identity`. API Gateway with binary media types hands it on, and our functions
    undo it: that, its limits and what they answer to broken bodies are to be tested here as well.
    """
    request = context.request
    if request.path.startswith(API_PATHS) and "content-encoding" in request.headers:
        request.headers["content-encoding"] += " "


@hooks.on_infra_start()
def keep_bodies_compressed() -> None:
    handlers.preprocess_request.append(keep_compressed)


@hooks.on_infra_start()
def keep_connections() -> None:
    hypercorn.Config.keep_alive_timeout = KEEP_ALIVE_SECONDS
