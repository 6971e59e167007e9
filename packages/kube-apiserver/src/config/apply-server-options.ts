import { orStartupErrorLater } from '@apiserver/component-base/process';
import { emulatingVersion, versionInfo } from '@apiserver/component-base/version';
import type { DebugFlagSetter, GenericServerConfig } from '@apiserver/generic-server';
import { buildInfo } from '../build-info.js';
import { serverFeatures } from '../features/generic-server-features.js';
import { serverIdOf } from '../features/server-id.js';
import type { CompletedOptions } from '../options/complete-options.js';

/** Dependencies of these options. */
export interface ServerOptionsDependencies {
  readonly hostname: string;
  /** Flags that can be changed while the server runs, by name. */
  readonly debugFlags: Readonly<Record<string, DebugFlagSetter>>;
}

/** Applies the options that need no keys. Rejects with a StartupError. */
export async function applyServerOptions(
  options: CompletedOptions,
  generic: GenericServerConfig,
  { hostname, debugFlags }: ServerOptionsDependencies,
): Promise<void> {
  const { gate } = options.features;
  generic.version = emulatingVersion(options.version ?? versionInfo(buildInfo()), options.features.effective);
  const sizeBasedListCost = gate.enabled('SizeBasedListCostEstimate');
  await orStartupErrorLater(
    options.generic.applyTo(generic, { sizeBasedListCost, watchLists: gate.enabled('WatchList') }),
  );
  await applyAudit(options, generic);
  await applyTracing(options, generic, hostname);
  options.profiling.applyTo(generic, debugFlags);
  // A server that does not serve CBOR does not load it.
  if (gate.enabled('CBORServingAndStorage')) generic.cbor = await import('@apiserver/apimachinery/codec/cbor');
  const values = () =>
    Object.fromEntries(
      options
        .flagSets()
        .all()
        .map(({ name, value }) => [name, String(value)]),
    );
  generic.zpages = {
    statusz: gate.enabled('ComponentStatusz'),
    flags: gate.enabled('ComponentFlagz') ? values : undefined,
  };
  generic.features = serverFeatures(gate);
  if (!gate.enabled('StorageVersionHash')) generic.discovery = { ...generic.discovery, storageVersionHashes: false };
  generic.unsafeDeletion = gate.enabled('AllowUnsafeMalformedObjectDeletion');
}

/** Opens the audit backends. They are flushed before the stores are closed. */
async function applyAudit({ audit }: CompletedOptions, generic: GenericServerConfig): Promise<void> {
  const { clock, disposables, logger, metrics, random, restClientMetrics, version } = generic;
  const userAgent = `kube-apiserver/${version.gitVersion}`;
  const webhookObserver = restClientMetrics.webhooks;
  const webhookDialer = generic.egress?.('controlplane');
  generic.audit = await orStartupErrorLater(
    audit.create({ clock, logger, metrics, random, userAgent, webhookObserver, webhookDialer }),
  );
  if (generic.audit !== undefined) disposables.use(generic.audit.backend);
}

/** Spans are sent before the server ends. */
async function applyTracing(
  { features, tracing }: CompletedOptions,
  generic: GenericServerConfig,
  hostname: string,
): Promise<void> {
  const { disposables, logger } = generic;
  const instance = serverIdOf(features.gate, hostname);
  const dial = generic.egress?.('controlplane');
  generic.tracer = await orStartupErrorLater(tracing.create({ instance, logger: logger.named('tracing'), dial }));
  if (generic.tracer !== undefined) disposables.use(generic.tracer);
}
