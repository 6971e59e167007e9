import { Buffer } from 'node:buffer';
import type { Exchange } from '@apiserver/apiserver-contracts';

const BASIC = /^basic ([A-Za-z0-9+/]*={0,2})$/i;
const BEARER = /^bearer /i;

/**
 * The credentials of a request that failed to authenticate, for its audit event. They show only where the response is
 * not negotiated.
 *
 * Upstream: getAuthMethods of k8s.io/apiserver/pkg/endpoints/filters/authn_audit.go
 */
export function attemptedMethods({ request }: Exchange): string {
  const header = request.headers.get('authorization') ?? '';
  const methods = [
    ...(isBasic(header) ? ['basic'] : []),
    ...(BEARER.test(header.trim()) ? ['bearer'] : []),
    ...((request.query.get('access_token') ?? '').trim() === '' ? [] : ['access_token']),
    ...(request.peerCertificates === undefined ? [] : ['x509']),
  ];
  if (methods.length === 0) return 'Authentication failed, no credentials provided';
  return `Authentication failed, attempted: ${methods.join(', ')}`;
}

function isBasic(header: string): boolean {
  const encoded = BASIC.exec(header)?.[1];
  return encoded !== undefined && Buffer.from(encoded, 'base64').includes(':');
}
