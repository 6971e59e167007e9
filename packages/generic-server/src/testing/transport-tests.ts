import type { Handler } from '@apiserver/apiserver-contracts';
import type { SecureListener } from '../serving/secure-listener.js';
import type { TransportProtocol } from '../serving/transport/transport.js';
import type { FetchedResponse } from './listener-fixture.js';
import type { OpenResponse, TransportRequest } from './transport-client.js';

/** A listener whose clients speak the protocol of the transport. */
interface TransportServer {
  readonly listener: SecureListener;
  readonly port: number;
  readonly lines: readonly { readonly level: string }[];
  fetch(request?: TransportRequest): Promise<FetchedResponse>;
  open(path?: string): Promise<OpenResponse>;
}

/** The context of the tests of a transport. */
export interface TransportTests {
  readonly protocol: TransportProtocol;
  /** Registers a test unless it is to be left out. */
  readonly test: (name: string, run: () => Promise<void>) => void;
  readonly serve: (handler: Handler) => Promise<TransportServer>;
}
