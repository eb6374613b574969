"""What holds for every test."""

from tests.fakes.services import take_addresses

take_addresses()
