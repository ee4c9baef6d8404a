"""Values from elsewhere: arguments, JSON, text, numbers of protobuf. The other rooms use them."""
