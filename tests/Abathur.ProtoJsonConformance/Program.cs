using Abathur.ProtoJsonConformance;
using Google.Protobuf;
using Google.Protobuf.Reflection;

// The transcoder as a testee of protobuf's conformance suite:
//   conformance_test_runner --enforce_recommended --failure_list known_failures.txt testee DESCRIPTORS
// DESCRIPTORS: a FileDescriptorSet with the suite's test messages and all that they import (protoc --include_imports -o).
if (args is not [var path] || !File.Exists(path))
{
    Console.Error.WriteLine("usage: Abathur.ProtoJsonConformance DESCRIPTORS (a FileDescriptorSet made by protoc --include_imports -o)");
    return 2;
}
var files = FileDescriptor.BuildFromByteStrings(
    FileDescriptorSet.Parser.ParseFrom(File.ReadAllBytes(path)).File.Select(file => file.ToByteString()));
var types = TypeRegistry.FromFiles(files);
var testee = new Testee(types);
using var input = Console.OpenStandardInput();
using var output = Console.OpenStandardOutput();
var length = new byte[sizeof(int)];
while (input.ReadAtLeast(length, length.Length, throwOnEndOfStream: false) == length.Length)
{
    var request = new byte[BitConverter.ToInt32(length)];
    input.ReadExactly(request);
    var response = testee.Answer(request);
    output.Write(BitConverter.GetBytes(response.Length));
    output.Write(response);
    output.Flush();
}
return 0;
