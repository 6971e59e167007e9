/**
 * Host and port for external clients; the host may include a port. Brackets of an IPv6 address are optional; upstream
 * doubles them. Upstream: net.SplitHostPort and net.JoinHostPort in k8s.io/apiserver/pkg/server.Config.Complete
 */
export function externalAddress(host: string, port: number): string {
  if (/^(?:\[[^\]]*\]|[^:[\]]*):[^:]*$/.test(host)) return host;
  return host.includes(':') && !host.startsWith('[') ? `[${host}]:${port}` : `${host}:${port}`;
}
