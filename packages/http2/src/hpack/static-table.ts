/** A header field of a block. */
export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

/** Overhead of a field in a table and in a list, in bytes. Upstream: RFC 7541, section 4.1 */
export const FIELD_OVERHEAD = 32;

/** Names with their values, separated by line feeds. Upstream: RFC 7541, appendix A */
const LINES =
  ':authority\n:method GET\n:method POST\n:path /\n:path /index.html\n:scheme http\n:scheme https\n:status 200\n' +
  ':status 204\n:status 206\n:status 304\n:status 400\n:status 404\n:status 500\naccept-charset\n' +
  'accept-encoding gzip, deflate\naccept-language\naccept-ranges\naccept\naccess-control-allow-origin\nage\nallow\n' +
  'authorization\ncache-control\ncontent-disposition\ncontent-encoding\ncontent-language\ncontent-length\n' +
  'content-location\ncontent-range\ncontent-type\ncookie\ndate\netag\nexpect\nexpires\nfrom\nhost\nif-match\n' +
  'if-modified-since\nif-none-match\nif-range\nif-unmodified-since\nlast-modified\nlink\nlocation\nmax-forwards\n' +
  'proxy-authenticate\nproxy-authorization\nrange\nreferer\nrefresh\nretry-after\nserver\nset-cookie\n' +
  'strict-transport-security\ntransfer-encoding\nuser-agent\nvary\nvia\nwww-authenticate';

let table: readonly HeaderField[] | undefined;

/** The static table, whose first field has the index 1. It is made on first use. */
export function staticTable(): readonly HeaderField[] {
  table ??= LINES.split('\n').map(toField);
  return table;
}

function toField(line: string): HeaderField {
  const end = line.indexOf(' ');
  return end < 0 ? { name: line, value: '' } : { name: line.slice(0, end), value: line.slice(end + 1) };
}
