/**
 * Host and port for clients outside; a host may bring its port. An IPv6 address needs no brackets and may have them, which upstream
 * doubles. Upstream: net.SplitHostPort and net.JoinHostPort in k8s.io/apiserver/pkg/server.Config.Complete
 */
export function externalAddress(host: string, port: number): string {
  if (/^(?:\[[^\]]*\]|[^:[\]]*):[^:]*$/.test(host)) return host;
  return host.includes(':') && !host.startsWith('[') ? `[${host}]:${port}` : `${host}:${port}`;
}
