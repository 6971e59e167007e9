/** Host and port of an address. The port is undefined if there is none, or no valid one. */
export function splitHostPort(address: string): { readonly host: string; readonly port: number | undefined } {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(address) ?? [];
  return { host: bracketed ?? plain ?? '', port: digits === undefined ? undefined : Number(digits) };
}
