import type { TLSSocket } from 'node:tls';

/**
 * Our cipher suites that HTTP/2 prohibits, with IANA's numbers: they have no AEAD or no ephemeral keys. Upstream: RFC
 * 9113, appendix A; isBadCipher in golang.org/x/net/http2
 */
const prohibited: Readonly<Record<string, number>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 0xc009,
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 0xc013,
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 0xc00a,
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 0xc014,
  TLS_RSA_WITH_AES_128_GCM_SHA256: 0x9c,
  TLS_RSA_WITH_AES_256_GCM_SHA384: 0x9d,
  TLS_RSA_WITH_AES_128_CBC_SHA: 0x2f,
  TLS_RSA_WITH_AES_256_CBC_SHA: 0x35,
  TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA: 0xc012,
  TLS_RSA_WITH_3DES_EDE_CBC_SHA: 0xa,
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: 0xc023,
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: 0xc027,
  TLS_RSA_WITH_AES_128_CBC_SHA256: 0x3c,
  TLS_ECDHE_ECDSA_WITH_RC4_128_SHA: 0xc007,
  TLS_ECDHE_RSA_WITH_RC4_128_SHA: 0xc011,
  TLS_RSA_WITH_RC4_128_SHA: 0x5,
};

/**
 * The reason why a connection may not use HTTP/2, with upstream's text; undefined if it may. Call it after the
 * handshake.
 * Upstream: serveConn in golang.org/x/net/http2/server.go
 */
export function inadequacyOf(socket: TLSSocket): string | undefined {
  const version = socket.getProtocol() ?? '';
  if (version === 'TLSv1.3') return undefined;
  if (version !== 'TLSv1.2') return 'TLS version too low';
  const number = prohibited[socket.getCipher().standardName];
  return number === undefined ? undefined : `Prohibited TLS 1.2 Cipher Suite: ${number.toString(16)}`;
}
