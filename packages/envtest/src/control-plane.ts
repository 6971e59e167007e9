import type { Clock } from '@apiserver/apimachinery/clock';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { Fetch } from '@apiserver/generic-server';
import type { KubeApiServerConfig } from '@apiserver/kube-apiserver';
import type { KeyValueStore } from '@apiserver/registry-store';

/** Options of a control plane. An option that is not listed here is refused. */
export interface ControlPlaneOptions {
  /** Further flags of the server, as on the command line: `['--feature-gates=AllAlpha=true']`. Default: none. */
  readonly flags?: readonly string[];
  /** Where objects are kept. The plane disposes it. Default: in memory. */
  readonly storage?: KeyValueStore;
  /** The time of the plane. Default: the machine's clock. */
  readonly clock?: Clock;
  /** Default: nothing is logged. */
  readonly logger?: Logger;
  /** Changes the config of the server before it is made: filters, admission, groups in code. */
  readonly configure?: (config: KubeApiServerConfig) => Promise<void> | void;
}

/** A running Kubernetes API server and the powers of a test over it. */
export interface ControlPlane extends AsyncDisposable {
  /** `https://127.0.0.1:40123` */
  readonly url: string;
  /** The administrator's kubeconfig, as text. */
  readonly kubeconfig: string;
  /** The path of a file with `kubeconfig`. It is removed with the plane. */
  kubeconfigFile(): string;
  /**
   * A `fetch` as the administrator, without a socket: the full chain of the server. A path alone is a URL:
   * `plane.fetch('/api/v1/namespaces')`.
   */
  readonly fetch: Fetch;
  /** Ends the plane in order, and removes its files. Idempotent. */
  stop(): Promise<void>;
}
