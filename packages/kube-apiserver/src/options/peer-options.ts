import { readFileSync } from 'node:fs';
import { loadPeers, type PeerProxying } from '@apiserver/aggregator';
import { parseCertificateBundle } from '@apiserver/apimachinery/x509';
import { type FlagSet, field } from '@apiserver/component-base/flags';
import type { LeaderElectionTimers } from '@apiserver/controlplane';
import { type FollowingProcess, followedAuthorities } from '@apiserver/generic-server';

/** Maximum random addition to the retry period. Upstream: JitterFactor of k8s.io/client-go/tools/leaderelection */
const JITTER = 1.2;

/** An address as given. */
export interface AdvertisedAddress {
  readonly ip: string;
  readonly port: string;
}

/** The files of the client certificate of this server. */
export interface ClientFiles {
  readonly proxyClientCertFile: string;
  readonly proxyClientKeyFile: string;
}

/** The authorities of peers, and the code of the proxy. */
export type LoadedProxy = Pick<PeerProxying, 'ca' | 'add'>;

/**
 * Several servers of different versions beside each other, and the leases of coordinated leaders.
 * Upstream: pkg/controlplane/apiserver/options.Options (Peer…, CoordinatedLeadership…)
 */
export class PeerOptions {
  /** `--peer-ca-file` */
  caFile = '';
  /** `--peer-advertise-ip` */
  advertiseIp = '';
  /** `--peer-advertise-port` */
  advertisePort = '';
  /** `--coordinated-leadership-lease-duration`, in milliseconds, as the two below. */
  leaseDuration = 15_000;
  /** `--coordinated-leadership-renew-deadline` */
  renewDeadline = 10_000;
  /** `--coordinated-leadership-retry-period` */
  retryPeriod = 2_000;

  addFlags(flags: FlagSet): void {
    flags.string(
      'peer-ca-file',
      field(this, 'caFile'),
      'PEM file of certificate authorities that verify other kube-apiservers. Requests for resources that only they serve are passed on to them.',
    );
    flags.string(
      'peer-advertise-ip',
      field(this, 'advertiseIp'),
      'IP address by which other kube-apiservers reach this one. Counts together with --peer-advertise-port. Default: the address of the service kubernetes.',
    );
    flags.string(
      'peer-advertise-port',
      field(this, 'advertisePort'),
      'Port by which other kube-apiservers reach this one.',
    );
    this.#addLeadershipFlags(flags);
  }

  /** `proxies`: the feature gate UnknownVersionInteroperabilityProxy. */
  validate(proxies: boolean): readonly Error[] {
    return [...this.#validateLeadership(), ...(proxies ? [] : this.#validateWithoutProxy())];
  }

  /** The address for peers; undefined unless both flags are given. Upstream: getPeerAddress */
  get advertised(): AdvertisedAddress | undefined {
    const { advertiseIp: ip, advertisePort: port } = this;
    return ip === '' || port === '' ? undefined : { ip, port };
  }

  /**
   * The proxy to peers; undefined without `--peer-ca-file`. Throws an Error for a file that cannot be read, and without
   * a client certificate.
   * Upstream: BuildPeerProxy of pkg/controlplane/apiserver/peer.go
   */
  async loadProxy(
    { proxyClientCertFile, proxyClientKeyFile }: ClientFiles,
    process: FollowingProcess,
  ): Promise<LoadedProxy | undefined> {
    if (this.caFile === '') return undefined;
    for (const [flag, file] of Object.entries({
      'proxy-cert-file': proxyClientCertFile,
      'proxy-key-file': proxyClientKeyFile,
    })) {
      if (file === '') throw new Error(`error building peer proxy handler, ${flag} not specified`);
    }
    const { clock, logger, metrics } = process;
    const ca = followedAuthorities(readAuthorities(this.caFile), {
      path: this.caFile,
      isUsable: hasAuthority,
      clock,
      metrics,
      logger,
    });
    return { ca, add: await loadPeers() };
  }

  /** Upstream: validateUnknownVersionInteroperabilityProxyFlags of pkg/controlplane/apiserver/options */
  #validateWithoutProxy(): readonly Error[] {
    const given = {
      'peer-ca-file': this.caFile,
      'peer-advertise-ip': this.advertiseIp,
      'peer-advertise-port': this.advertisePort,
    };
    return Object.entries(given)
      .filter(([, value]) => value !== '')
      .map(([flag]) => new Error(`--${flag} requires UnknownVersionInteroperabilityProxy feature to be turned on`));
  }

  /**
   * Upstream: validateCoordinatedLeadershipFlags of pkg/controlplane/apiserver/options, NewLeaderElector of client-go
   */
  #validateLeadership(): readonly Error[] {
    const [lease, renew, retry] = ['lease-duration', 'renew-deadline', 'retry-period'].map(
      (name) => `--coordinated-leadership-${name}`,
    );
    const { leaseDuration, renewDeadline, retryPeriod } = this;
    return [
      ...(leaseDuration <= renewDeadline ? [new Error(`${lease} must be greater than ${renew}`)] : []),
      ...(renewDeadline <= retryPeriod * JITTER
        ? [new Error(`${renew} must be greater than ${retry}*JitterFactor`)]
        : []),
      ...(retryPeriod <= 0 ? [new Error(`${retry} must be greater than zero`)] : []),
    ];
  }

  get timers(): LeaderElectionTimers {
    const { leaseDuration, renewDeadline, retryPeriod } = this;
    return { leaseDuration, renewDeadline, retryPeriod };
  }

  #addLeadershipFlags(flags: FlagSet): void {
    flags.duration(
      'coordinated-leadership-lease-duration',
      field(this, 'leaseDuration'),
      'Duration of the lease by which one kube-apiserver holds elections. For the feature gate CoordinatedLeaderElection.',
    );
    flags.duration(
      'coordinated-leadership-renew-deadline',
      field(this, 'renewDeadline'),
      'Time after which a kube-apiserver that cannot renew this lease stops holding elections.',
    );
    flags.duration(
      'coordinated-leadership-retry-period',
      field(this, 'retryPeriod'),
      'Time between two tries to take or renew this lease.',
    );
  }
}

/**
 * Throws an Error with Go's words for a file without a certificate. Upstream: k8s.io/client-go/transport.TLSConfigFor
 */
function readAuthorities(file: string): string {
  const pem = readFileSync(file, 'utf8');
  if (!hasAuthority(pem)) {
    throw new Error(
      'failed to create proxy transport: unable to load root certificates: unable to parse bytes as PEM block',
    );
  }
  return pem;
}

function hasAuthority(pem: string): boolean {
  try {
    return parseCertificateBundle(pem).length > 0;
  } catch {
    return false;
  }
}
