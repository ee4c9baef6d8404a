export const jsonShape = { names: "camel", uint64: "string", enums: "name", bytes: "base64", floats: "json" };
