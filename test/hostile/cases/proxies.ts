import { type HostileCase, sending } from '../hostile-case.ts';

const DEFAULT = '/api/v1/namespaces/default';
const metadata = { name: 'proxied' };
const addresses = Array.from({ length: 12_000 }, (_, i) => ({
  ip: `10.1.${i >> 8}.${i & 255}`,
  targetRef: { kind: 'Pod', namespace: 'default', name: `gone-${i}` },
}));

/** Proxied requests whose backend is hard to find. */
export const PROXY_CASES: readonly HostileCase[] = [
  {
    name: 'a service whose 12,000 pods are gone',
    before: [
      sending('POST', `${DEFAULT}/services`, 'json', JSON.stringify({ metadata, spec: { ports: [{ port: 80 }] } })),
      sending(
        'POST',
        `${DEFAULT}/endpoints`,
        'json',
        JSON.stringify({ metadata, subsets: [{ addresses, ports: [{ port: 80 }] }] }),
      ),
    ],
    request: () => ({ method: 'GET', path: `${DEFAULT}/services/proxied:80/proxy/x` }),
    status: 503,
  },
];
