import type { Logger } from '@apiserver/apiserver-contracts';
import type { RelayDialer } from './relay.js';
import type { TracingConfiguration } from './tracing-configuration.js';

/** Dependencies of a tracer. */
export interface TracerOptions {
  readonly configuration: TracingConfiguration;
  /** The service and its instance, for the receiver of the spans. */
  readonly service: string;
  readonly instance: string;
  /** Gets the failures of exports. */
  readonly logger: Logger;
  /** Opens connections to the collector, unless it has a unix socket. Default: TCP from this machine. */
  readonly dial?: RelayDialer | undefined;
}
