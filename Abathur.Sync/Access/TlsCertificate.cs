using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Abathur.Sync.Access;

/// <summary>The certificate that the daemon presents to TLS clients.</summary>
/// <param name="Certificate">The daemon's own, with its private key.</param>
/// <param name="Chain">The certificates between it and its root certificate.</param>
public sealed record TlsCertificate(X509Certificate2 Certificate, X509Certificate2Collection Chain)
{
    /// <summary>Reads the texts of PEM files.</summary>
    /// <param name="certificates">The certificate, followed by those between it and its root certificate.</param>
    /// <param name="key">Its private key, not encrypted.</param>
    /// <exception cref="CryptographicException">They are invalid, or the key does not match the certificate.</exception>
    public static TlsCertificate FromPem(string certificates, string key)
    {
        using var withKey = X509Certificate2.CreateFromPem(certificates, key);
        var chain = new X509Certificate2Collection();
        chain.ImportFromPem(certificates);
        if (chain.Count > 0) chain.RemoveAt(0);
        // TLS on Windows does not accept a key that exists only in memory.
        return new TlsCertificate(X509CertificateLoader.LoadPkcs12(withKey.Export(X509ContentType.Pkcs12), null), chain);
    }
}
