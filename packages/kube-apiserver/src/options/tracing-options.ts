import { existsSync } from 'node:fs';
import type { Logger, Tracer } from '@apiserver/apiserver-contracts';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import type { RelayDialer } from '@apiserver/component-base/tracing';

/** Upstream: apiserverService */
const SERVICE = 'apiserver';

/** Dependencies of tracing. */
interface TracingDependencies {
  readonly instance: string;
  readonly logger: Logger;
  /** Opens connections to the collector. Default: TCP from this machine. Upstream: the egress of the control plane */
  readonly dial: RelayDialer | undefined;
}

/** Tracing of requests. Upstream: k8s.io/apiserver/pkg/server/options.TracingOptions */
export class TracingOptions {
  /** `--tracing-config-file`: "" is off. */
  configFile = '';

  addFlags(flags: FlagSet): void {
    flags.string(
      'tracing-config-file',
      field(this, 'configFile'),
      'Configuration file of tracing: the collector that receives spans by OTLP, and the part of the requests that is traced. Default: none.',
    );
  }

  validate(): readonly Error[] {
    if (this.configFile === '' || existsSync(this.configFile)) return [];
    return [new Error(`tracing-config-file ${this.configFile} does not exist`)];
  }

  /** Nothing of tracing is loaded if it is off. Throws a StartupError for an unusable file. */
  async create({ instance, logger, dial }: TracingDependencies): Promise<Tracer | undefined> {
    if (this.configFile === '') return undefined;
    const { createTracer, readTracingConfiguration } = await import('@apiserver/component-base/tracing');
    const configuration = readTracingConfiguration(this.configFile);
    return createTracer({ configuration, service: SERVICE, instance, logger, dial });
  }
}
