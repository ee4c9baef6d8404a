using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Abathur.Sync.Access;

/// <summary>What the daemon shows to clients that speak TLS.</summary>
/// <param name="Certificate">The daemon's own, with its private key.</param>
/// <param name="Chain">The certificates between it and its root.</param>
public sealed record TlsCertificate(X509Certificate2 Certificate, X509Certificate2Collection Chain)
{
    /// <summary>Reads the texts of PEM files.</summary>
    /// <param name="certificates">The certificate, and behind it those between it and its root.</param>
    /// <param name="key">Its private key, not encrypted.</param>
    /// <exception cref="CryptographicException">They are none, or do not belong together.</exception>
    public static TlsCertificate FromPem(string certificates, string key)
    {
        using var withKey = X509Certificate2.CreateFromPem(certificates, key);
        var chain = new X509Certificate2Collection();
        chain.ImportFromPem(certificates);
        if (chain.Count > 0) chain.RemoveAt(0);
        // Windows' TLS takes no key that lives in memory alone.
        return new TlsCertificate(X509CertificateLoader.LoadPkcs12(withKey.Export(X509ContentType.Pkcs12), null), chain);
    }
}
