"""What every call of the API begins with: the caller's seat in the campaign of the address."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from django.contrib.auth.models import User
from django.db.models import Model
from rest_framework import serializers, viewsets
from rest_framework.request import Request
from rest_framework.response import Response

from assess.domain.access import Seat, access_seat
from assess.domain.errors import Invalid

Row = TypeVar("Row", bound=Model)


def checked(serializer: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """The body of a call in the shape that the serializer asks for; refused otherwise, field by field."""
    form = serializer(data=request.data)
    if not form.is_valid():
        faults = [f"{field}: {' '.join(str(text) for text in texts)}" for field, texts in form.errors.items()]
        raise Invalid("The call is not of the right shape. " + " ".join(faults))
    return dict(form.validated_data)


class SeatViewSet(viewsets.GenericViewSet[Any]):
    """A set of calls under `campaigns/<slug>/`. Objects are found through `access`, never by a queryset here."""

    queryset = None
    filter_backends: list[Any] = []

    @property
    def user(self) -> User:
        """Who calls; the framework has refused everybody who is not logged in."""
        return cast(User, self.request.user)

    def seat(self, *roles: str) -> Seat:
        """The caller's seat in the campaign, in one of these roles where any are named."""
        return access_seat(self.user, self.kwargs["slug"], *roles)

    def paged(self, rows: Any, serializer: type[serializers.BaseSerializer[Any]]) -> Response:
        """One page of rows, by `limit` and `offset`."""
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(serializer(page, many=True).data)
