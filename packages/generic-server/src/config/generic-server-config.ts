import { randomUUID } from 'node:crypto';
import type { KindCodec } from '@apiserver/apimachinery/codec';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import type {
  AdmissionChain,
  Authenticator,
  Authorizer,
  Filter,
  RuleResolver,
  TokenAuthenticator,
  Tracer,
} from '@apiserver/apiserver-contracts';
import type { AuditConfig } from '@apiserver/audit';
import { alwaysAllow, unionRuleResolver } from '@apiserver/authorization';
import { type VersionInfo, versionInfo } from '@apiserver/component-base/version';
import {
  type ApiContainerOptions,
  createCodecCache,
  type DiscoveryOptions,
  type EndpointFeatures,
  type InstalledView,
} from '@apiserver/endpoints-installer';
import type { FlowControl } from '@apiserver/flowcontrol';
import { type CertificateReader, certificateReader } from '../dynamic-certificates/certificate-reader.js';
import type { EgressSelector } from '../egress/egress-selector.js';
import type { HealthCheck } from '../health/health-check.js';
import type { PostStartHook } from '../lifecycle/post-start-hook.js';
import type { DebuggingConfig } from '../profiling/debugging-paths.js';
import { isLongRunning, type LongRunningCheck } from '../request/long-running.js';
import type { OriginMatcher } from '../request/origin-matcher.js';
import type { TlsMaterial } from '../serving/tls/tls-material.js';
import { YamlWorkers } from '../yaml/yaml-workers.js';
import type { ZPagesConfig } from '../zpages/z-pages-options.js';
import type { Completed } from './completed.js';
import { noAdmission } from './no-admission.js';
import type { ServerContext } from './server-context.js';

/** The port of a server. Upstream: k8s.io/apiserver/pkg/server.SecureServingInfo */
export interface SecureServingConfig {
  readonly address: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Upstream flag: --permit-port-sharing. Default: false. */
  readonly sharePort?: boolean;
  readonly tls: TlsMaterial;
  /**
   * True if the program made the certificates, so that they need no check before the first connection. Default: false.
   */
  readonly areCertificatesOwn?: boolean;
  /** Calls `changed` with the material for new connections, until `signal` aborts. Absent: `tls` stays. */
  readonly followTls?: (changed: (tls: TlsMaterial) => void, signal: AbortSignal) => void;
  /** Upstream flag: --http2-max-streams-per-connection */
  readonly http2MaxStreamsPerConnection: number;
  /** Upstream flag: --disable-http2-serving */
  readonly disableHttp2: boolean;
  /** The implementation of HTTP/2. Default: `own`. */
  readonly http2Implementation?: Http2Implementation;
}

/** `own` is `@apiserver/http2`. `node` is `node:http2`, for an emergency in the own one. */
export type Http2Implementation = 'own' | 'node';

/** Reports whether a name is that of an implementation. */
export function isHttp2Implementation(name: string): name is Http2Implementation {
  return name === 'own' || name === 'node';
}

/** Features that a server can switch; all are on by default, except some of endpoints. */
export interface ServerFeatures extends EndpointFeatures {
  /** Large responses of APIs are compressed. Upstream feature gate: APIResponseCompression */
  readonly responseCompression: boolean;
  /** Upstream feature gate: ConstrainedImpersonation */
  readonly constrainedImpersonation: boolean;
  /** Connections of unauthenticated clients end. Upstream feature gate: UnauthenticatedHTTP2DOSMitigation */
  readonly unauthenticatedHttp2Mitigation: boolean;
}

/**
 * The context of a server's process, and the settings from its options. `completeGenericServerConfig` fills in the
 * rest. All times are milliseconds unless the name says otherwise.
 * Upstream: k8s.io/apiserver/pkg/server.Config
 */
export interface GenericServerConfig extends ServerContext {
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Compiles a kind's codec once; shared with the storage, which needs the same ones. */
  codecFor: (schema: KindSchema) => KindCodec;
  /** Reads certificates and keys from files. */
  certificates: CertificateReader;
  /** Returns the description of a field, which describes a column of a table. Default: no descriptions. */
  fieldDescription?: (definition: string, field: string) => string;
  /** `@apiserver/apimachinery/codec/cbor`, to serve CBOR too. Upstream feature gate: CBORServingAndStorage */
  cbor?: ApiContainerOptions['cbor'];
  /** Where large YAML is parsed. */
  yamlWorkers: YamlWorkers;
  /** True if deletes may ignore read errors. Upstream feature gate: AllowUnsafeMalformedObjectDeletion */
  unsafeDeletion?: boolean;
  /** Default: upstream's. */
  features?: Partial<ServerFeatures>;
  /** In [0, 1). */
  random: () => number;
  /** Creates the Audit-ID of a request without one. */
  newAuditId: () => string;
  version: VersionInfo;
  /** Undefined for a server without a port: a delegate, or one that is mounted elsewhere. */
  secureServing: SecureServingConfig | undefined;
  /** Undefined: every request is refused with 401, unless it comes from this process. */
  authenticator: Authenticator | undefined;
  /** Tells whether a header, in lower case, is a front proxy's for this server alone. Undefined: none is trusted. */
  isIdentityHeader: ((name: string) => boolean) | undefined;
  /** Authenticates bearer tokens, for reviews. Undefined: every token is unknown. */
  tokenAuthenticator: TokenAuthenticator | undefined;
  /** The audiences that tokens must have; empty: any. Upstream flag: --api-audiences */
  apiAudiences: readonly string[];
  /** Undefined: everything is allowed. */
  authorizer: Authorizer | undefined;
  /** The ways into other networks. Undefined: all are reached straight. Upstream flag: --egress-selector-config-file */
  egress: EgressSelector | undefined;
  /** Undefined: nothing is audited. */
  audit: AuditConfig | undefined;
  /** Lists the permissions of a user. */
  ruleResolver: RuleResolver | undefined;
  /** Default: everything is admitted. Admission options set it last, because plugins use the authorizer. */
  admission: AdmissionChain;
  /** Records the spans of requests; undefined: nothing is traced. Upstream flag: --tracing-config-file */
  tracer: Tracer | undefined;
  /** The origins from which browser pages may call; undefined: none. Upstream flag: --cors-allowed-origins */
  isAllowedOrigin: OriginMatcher | undefined;
  /** Upstream flag: --strict-transport-security-directives */
  hstsDirectives: readonly string[];
  /** Priority and fairness. Undefined: the two limits below. Upstream flag: --enable-priority-and-fairness */
  flowControl: FlowControl | undefined;
  /** Upstream flag: --max-requests-inflight */
  maxRequestsInFlight: number;
  /** Upstream flag: --max-mutating-requests-inflight */
  maxMutatingRequestsInFlight: number;
  /** Milliseconds for a request that is not long-running. Upstream flag: --request-timeout */
  requestTimeout: number;
  /** Upstream flag: --min-request-timeout */
  minRequestTimeoutSeconds: number;
  /** The fraction of HTTP/2 requests that get a GOAWAY. Upstream flag: --goaway-chance */
  goawayChance: number;
  /**
   * Milliseconds after the start during which /livez ignores unfinished post-start hooks of the outermost server.
   * Upstream flag: --livez-grace-period
   */
  livezGracePeriod: number;
  /**
   * Maximum number of milliseconds for which the storage may keep the server unready.
   * Upstream flag: --storage-initialization-timeout
   */
  storageInitializationTimeout: number;
  /** Milliseconds for which shutdown serves requests while /readyz fails. Upstream flag: --shutdown-delay-duration */
  shutdownDelayDuration: number;
  /** Upstream flag: --shutdown-send-retry-after */
  shutdownSendRetryAfter: boolean;
  /** Milliseconds that shutdown gives to watches. Upstream flag: --shutdown-watch-termination-grace-period */
  shutdownWatchTerminationGracePeriod: number;
  maxRequestBodyBytes: number;
  /** Serve "/" and a listing instead of a bare 404. */
  enableIndex: boolean;
  enableMetrics: boolean;
  /** The pages /statusz and /flagz. Upstream feature gates: ComponentStatusz, ComponentFlagz */
  zpages: ZPagesConfig;
  debugging: DebuggingConfig;
  /** Serves discovery below /api and /apis. */
  enableDiscovery: boolean;
  /** Options of discovery. Default: those of a standalone server. */
  discovery: Pick<DiscoveryOptions, 'priorityOf' | 'storageVersionHashes' | 'withoutPeers'> & {
    /** The APIs of the servers behind this one, to be listed with its own. */
    readonly delegated?: readonly InstalledView[];
  };
  /** Host, or host and port, for clients outside; "" for the listening address. Upstream flag: --external-hostname */
  externalAddress: string;
  longRunning: LongRunningCheck;
  /** Checks of /healthz, /livez and /readyz besides ping and the post-start hooks. */
  healthChecks: readonly HealthCheck[];
  /** Checks of one endpoint alone. */
  healthzChecks: readonly HealthCheck[];
  readyzChecks: readonly HealthCheck[];
  livezChecks: readonly HealthCheck[];
  /** Hooks of every server of a chain, which run once. Default: none. Upstream: Config.PostStartHooks */
  postStartHooks: ReadonlyMap<string, PostStartHook>;
  /** Changes the chain. It receives the default filters, outermost first. */
  adjustFilters: (defaults: readonly Filter[]) => readonly Filter[];
}

/** A config with upstream's defaults. Upstream: k8s.io/apiserver/pkg/server.NewConfig */
export function newGenericServerConfig(context: ServerContext): GenericServerConfig {
  const { clock, disposables } = context;
  return {
    ...context,
    admission: noAdmission,
    codecFor: createCodecCache(),
    certificates: certificateReader,
    yamlWorkers: disposables.use(new YamlWorkers()),
    now: () => clock.now(),
    random: Math.random,
    newAuditId: randomUUID,
    version: versionInfo({ packageVersion: '0.1.0' }),
    secureServing: undefined,
    authenticator: undefined,
    isIdentityHeader: undefined,
    tokenAuthenticator: undefined,
    apiAudiences: [],
    authorizer: undefined,
    audit: undefined,
    egress: undefined,
    tracer: undefined,
    ruleResolver: undefined,
    isAllowedOrigin: undefined,
    hstsDirectives: [],
    flowControl: undefined,
    maxRequestsInFlight: 400,
    maxMutatingRequestsInFlight: 200,
    requestTimeout: 60_000,
    minRequestTimeoutSeconds: 1_800,
    goawayChance: 0,
    livezGracePeriod: 0,
    storageInitializationTimeout: 60_000,
    shutdownDelayDuration: 0,
    shutdownSendRetryAfter: false,
    shutdownWatchTerminationGracePeriod: 0,
    maxRequestBodyBytes: 3 * 1024 * 1024,
    enableIndex: true,
    enableMetrics: true,
    zpages: { statusz: true, flags: undefined },
    debugging: { profiling: true, socketPath: '', flags: {} },
    enableDiscovery: true,
    discovery: {},
    externalAddress: '',
    longRunning: isLongRunning,
    healthChecks: [],
    healthzChecks: [],
    readyzChecks: [],
    livezChecks: [],
    postStartHooks: new Map(),
    adjustFilters: (defaults) => defaults,
  };
}

/** A config in which everything is decided. */
export interface CompletedGenericServerConfig extends GenericServerConfig {
  authorizer: Authorizer;
  ruleResolver: RuleResolver;
}

/**
 * Fills in dependent values, and logs warnings for administrators.
 * Upstream: k8s.io/apiserver/pkg/server.Config.Complete
 */
export function completeGenericServerConfig(config: GenericServerConfig): Completed<CompletedGenericServerConfig> {
  if (config.authorizer === undefined) config.logger.warning('Authorization is disabled');
  const everything = alwaysAllow();
  const nothing = unionRuleResolver([]);
  const completed: CompletedGenericServerConfig = {
    ...config,
    authorizer: config.authorizer ?? everything,
    ruleResolver: config.ruleResolver ?? (config.authorizer === undefined ? everything : nothing),
  };
  return completed as Completed<CompletedGenericServerConfig>;
}
