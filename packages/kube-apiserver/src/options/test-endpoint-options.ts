import { isIP } from 'node:net';
import { join } from 'node:path';
import { isLoopbackHost } from '@apiserver/apimachinery/values';
import { type FlagSet, field } from '@apiserver/component-base/flags';

/** Where the test endpoint listens. */
interface EndpointAddress {
  readonly host: string;
  readonly port: number;
}

/** The test endpoint: an HTTP server with powers over this one. Upstream has none; it is off by default. */
export class TestEndpointOptions {
  /** `--test-endpoint`: a loopback address and a port; "" is off. */
  address = '';
  /** `--test-endpoint-file`: "" is `test-endpoint.json` in the data folder. */
  file = '';

  addFlags(flags: FlagSet): void {
    flags.string(
      'test-endpoint',
      field(this, 'address'),
      'For tests only: loopback address and port, such as 127.0.0.1:0, of an HTTP endpoint for snapshots of all objects, faults, the log of requests and the clock. Objects are kept in memory, unless --storage-backend is set. Default: none.',
    );
    flags.string(
      'test-endpoint-file',
      field(this, 'file'),
      'File that receives the URL and the token of --test-endpoint, readable by this user only. Default "test-endpoint.json" in the data folder.',
    );
  }

  get isOn(): boolean {
    return this.address !== '';
  }

  validate(): readonly Error[] {
    if (!this.isOn) {
      return this.file === '' ? [] : [new Error('--test-endpoint-file: has no meaning without --test-endpoint')];
    }
    const address = parseAddress(this.address);
    if (address === undefined) {
      return [new Error(`--test-endpoint: ${JSON.stringify(this.address)} is not of the form 127.0.0.1:port`)];
    }
    if (isLoopbackHost(address.host)) return [];
    return [new Error(`--test-endpoint: ${address.host} is not a loopback address, such as 127.0.0.1 or [::1]`)];
  }

  /** Call `validate` first. */
  get listenAddress(): EndpointAddress {
    const { host, port } = parseAddress(this.address) ?? { host: '', port: 0 };
    // A name might be another address on some machine.
    return { host: isIP(host) === 0 ? '127.0.0.1' : host, port };
  }

  /** The path of the file, in the data folder by default. */
  pathIn(dataDirectory: string): string {
    return this.file || join(dataDirectory, 'test-endpoint.json');
  }
}

/** Host and port; undefined for other texts. */
function parseAddress(text: string): EndpointAddress | undefined {
  const [, bracketed, plain = '', digits = ''] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  return host === '' || digits === '' || port > 65_535 ? undefined : { host, port };
}
