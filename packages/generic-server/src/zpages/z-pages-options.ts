import type { VersionInfo } from '@apiserver/component-base/version';
import type { ApiContainerOptions, EndpointMetrics } from '@apiserver/endpoints-installer';
import type { RequestMetrics } from '../metrics/request-metrics.js';

/** The pages that tell what a process is and by which flags it runs. */
export interface ZPagesConfig {
  readonly statusz: boolean;
  /** The values of all flags by name; undefined: there is no /flagz. */
  readonly flags: (() => Readonly<Record<string, string>>) | undefined;
}

/** Dependencies of the pages. */
export interface ZPagesOptions {
  readonly config: {
    readonly cbor?: ApiContainerOptions['cbor'];
    /** Milliseconds since the epoch. */
    readonly now: () => number;
    /** In [0, 1). */
    readonly random: () => number;
    readonly version: VersionInfo;
    readonly zpages: ZPagesConfig;
  };
  readonly metrics: RequestMetrics;
  readonly deprecatedRequests: EndpointMetrics['deprecatedRequests'];
  /** The start of the process, in milliseconds since the epoch. */
  readonly processStart: number;
  /** All paths of the server. */
  readonly listedPaths: () => readonly string[];
}
