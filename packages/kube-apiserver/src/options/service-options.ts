import { type FlagSet, type FlagValue, field } from '@apiserver/component-base/flags';
import {
  formatPortRange,
  type IPRange,
  type PortRange,
  parseIPRange,
  parsePortRange,
  rangeSize,
} from '@apiserver/controlplane';

const RECONCILER_TYPES = ['master-count', 'lease', 'none'] as const;

/** The way in which the endpoints of the `kubernetes` service follow the running servers. */
export type EndpointReconcilerType = (typeof RECONCILER_TYPES)[number];

const DEFAULT_RANGE = '10.0.0.0/24';
/** Minimum number of addresses in a range: the service `kubernetes` and a few others. */
const MIN_RANGE_SIZE = 6n;
/** The widest accepted ranges: /12 and /64. */
const MAX_HOST_BITS = { IPv4: 20, IPv6: 64 };

/**
 * Addresses and node ports of services, and the service `kubernetes`.
 * Upstream: pkg/controlplane/apiserver/options and cmd/kube-apiserver/app/options (Extra)
 */
export class ServiceOptions {
  /** `--service-cluster-ip-range`: one, or one of each family, divided by a comma. "" for 10.0.0.0/24. */
  clusterIPRange = '';
  /** `--service-node-port-range` */
  nodePortRange: PortRange = { base: 30_000, size: 2768 };
  /** `--kubernetes-service-node-port`: 0 for none. */
  kubernetesServiceNodePort = 0;
  /** `--advertise-port`, which upstream does not have. 0 for `--secure-port`. */
  advertisePort = 0;
  /** `--apiserver-count`, for definitions and for the endpoint reconciler `master-count`. */
  apiserverCount = 1;
  /** `--endpoint-reconciler-type` */
  endpointReconcilerType: string = 'lease';

  addFlags(flags: FlagSet): void {
    flags.string(
      'service-cluster-ip-range',
      field(this, 'clusterIPRange'),
      'CIDR of the cluster IPs of services; two, separated by a comma, for both IP families. Must not overlap with addresses of nodes and pods. Default 10.0.0.0/24.',
    );
    flags.add(
      'service-node-port-range',
      new PortRangeFlag(this),
      'Range of ports for services of type NodePort, both ends included. Must not overlap with the ephemeral ports of nodes.',
    );
    flags.int(
      'kubernetes-service-node-port',
      field(this, 'kubernetesServiceNodePort'),
      'Node port of the service kubernetes, whose type is then NodePort. 0: its type is ClusterIP.',
    );
    flags.int(
      'apiserver-count',
      field(this, 'apiserverCount'),
      'Number of API servers in the cluster. Above 1, a definition is established five seconds after its names are accepted. Also for --endpoint-reconciler-type=master-count.',
      { deprecated: 'apiserver-count is deprecated and will be removed in a future version.' },
    );
    flags.string(
      'endpoint-reconciler-type',
      field(this, 'endpointReconcilerType'),
      `Method that maintains the endpoints of the service kubernetes (${RECONCILER_TYPES.join(', ')}); master-count is deprecated.`,
    );
  }

  /** Adds the flag that upstream does not have. k3s adds it to upstream's server, and starts every server with it. */
  addAdditionalFlags(flags: FlagSet): void {
    flags.int(
      'advertise-port',
      field(this, 'advertisePort'),
      'Port at which other machines reach this server, for the endpoints of the service kubernetes. 0: --secure-port.',
    );
  }

  validate(): readonly Error[] {
    return [
      ...this.#validateAdvertisePort(),
      ...this.#validateRanges(),
      ...this.#validateNodePort(),
      ...this.#validateReconciler(),
    ];
  }

  #validateAdvertisePort(): Error[] {
    const isValid = this.advertisePort >= 0 && this.advertisePort <= 65_535;
    return isValid ? [] : [new Error(`--advertise-port ${this.advertisePort} must be between 0 and 65535, inclusive`)];
  }

  /** The ranges, the primary one first. Call `validate` first. */
  get clusterIPRanges(): readonly IPRange[] {
    return this.#rangeTexts.flatMap((text) => parseIPRange(text) ?? []);
  }

  /** The reconciler. Call `validate` first. */
  get endpointReconciler(): EndpointReconcilerType {
    return RECONCILER_TYPES.find((type) => type === this.endpointReconcilerType) ?? 'lease';
  }

  get #rangeTexts(): readonly string[] {
    return (this.clusterIPRange || DEFAULT_RANGE).split(',');
  }

  /** Upstream: validateClusterIPFlags and getServiceIPAndRanges */
  #validateRanges(): Error[] {
    const texts = this.#rangeTexts;
    if (texts.length > 2) return [new Error('--service-cluster-ip-range must not contain more than two entries')];
    const ranges = texts.map(parseIPRange);
    if (ranges[0] === undefined) return [new Error('service-cluster-ip-range[0] is not a valid cidr')];
    if (ranges.includes(undefined)) return [new Error('service-cluster-ip-range[1] is not an ip net')];
    const known = this.clusterIPRanges;
    const errors = known.flatMap(validateSize);
    if (known.length === 2 && known[0]?.family === known[1]?.family) {
      const both = '--service-cluster-ip-range[0] and --service-cluster-ip-range[1]';
      errors.push(new Error(`${both} must be of different IP family`));
    }
    return errors;
  }

  #validateNodePort(): Error[] {
    const { kubernetesServiceNodePort: port, nodePortRange: range } = this;
    if (port < 0 || port > 65_535) {
      const detail =
        'must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP';
      return [new Error(`--kubernetes-service-node-port ${port} ${detail}`)];
    }
    if (port === 0 || (port >= range.base && port < range.base + range.size)) return [];
    return [new Error(`kubernetes service node port range ${formatPortRange(range)} doesn't contain ${port}`)];
  }

  #validateReconciler(): Error[] {
    const errors: Error[] = [];
    if (this.apiserverCount <= 0) {
      const detail = `should be a positive number, but value '${this.apiserverCount}' provided`;
      errors.push(new Error(`--apiserver-count ${detail}`));
    }
    if (!RECONCILER_TYPES.some((type) => type === this.endpointReconcilerType)) {
      const known = RECONCILER_TYPES.join(', ');
      errors.push(new Error(`--endpoint-reconciler-type invalid, allowed values: ${known}`));
    }
    return errors;
  }
}

function validateSize(range: IPRange): Error[] {
  const bits = range.family === 'IPv4' ? 32 : 128;
  const prefix = Number(range.cidr.split('/')[1]);
  const widest = bits - MAX_HOST_BITS[range.family];
  if (prefix < widest) {
    const detail = `for ${bits}-bit addresses, the mask must be >= /${widest}`;
    return [new Error(`specified --service-cluster-ip-range is too large; ${detail}`)];
  }
  return rangeSize(range) < MIN_RANGE_SIZE
    ? [new Error('the service cluster IP range must be at least 8 IP addresses')]
    : [];
}

/** Upstream: k8s.io/apimachinery/pkg/util/net.PortRange */
class PortRangeFlag implements FlagValue {
  readonly typeName = 'portRange';
  readonly isBoolean = false;
  readonly #options: ServiceOptions;

  constructor(options: ServiceOptions) {
    this.#options = options;
  }

  get defaultText(): string {
    return this.toString();
  }

  set(text: string): void {
    this.#options.nodePortRange = parsePortRange(text);
  }

  toString(): string {
    return formatPortRange(this.#options.nodePortRange);
  }
}
