using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Abathur.Client;

/// <summary>Root certificates that a client trusts in place of those of the system. The daemon compiles this file as well.</summary>
internal static class TrustedRoots
{
    /// <summary>How the certificate of a server is checked.</summary>
    /// <param name="path">File (PEM) with the certificates.</param>
    /// <exception cref="CryptographicException">It has none.</exception>
    /// <exception cref="IOException">It cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public static X509ChainPolicy Read(string path)
    {
        var policy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
        policy.CustomTrustStore.ImportFromPemFile(path);
        return policy;
    }
}
