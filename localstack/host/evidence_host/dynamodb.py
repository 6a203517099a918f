"""`PROVIDER_OVERRIDE_DYNAMODB=moto`: LocalStack's own DynamoDB provider (streams, time to live, tags) over the moto that it
ships, in this process, instead of Amazon's DynamoDB Local, whose licence is not an open one."""

from localstack import config
from localstack.aws.connect import connect_to
from localstack.services import moto
from localstack.services.dynamodb import provider
from localstack.services.dynamodb.utils import ItemFinder
from localstack.services.plugins import Service, aws_provider


class _InProcess:
    """Takes the place of the server that the provider would start."""

    url = config.internal_service_url()

    def start_dynamodb(self) -> None:
        pass

    def stop_dynamodb(self) -> None:
        pass


def _client(account_id: str, region_name: str, endpoint_url: str):
    """Reads of old images go by the account: the key of account and region is DynamoDB Local's own way."""
    return connect_to(aws_access_key_id=account_id, region_name=region_name).dynamodb


class MotoDynamoDBProvider(provider.DynamoDBProvider):
    @staticmethod
    def _new_dynamodb_server() -> _InProcess:
        return _InProcess()

    def forward_request(self, context, service_request=None):
        self.check_provisioned_throughput(context.operation.name)
        if service_request is None:
            return moto.call_moto(context)
        return moto.call_moto_with_request(context, service_request)


@aws_provider(api="dynamodb", name="moto")
def dynamodb_moto() -> Service:
    ItemFinder.get_ddb_local_client = staticmethod(_client)
    return Service.for_provider(
        MotoDynamoDBProvider(), dispatch_table_factory=moto.MotoFallbackDispatcher
    )
