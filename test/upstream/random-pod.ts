import type { Random } from '../watch/random.ts';

const CAPABILITIES = [
  'ALL',
  'all',
  'NET_ADMIN',
  'NET_BIND_SERVICE',
  'CHOWN',
  'SYS_TIME',
  'KILL',
  'NET_RAW',
  '',
  'CAP_CHOWN',
] as const;
const PROFILES = ['RuntimeDefault', 'Localhost', 'Unconfined', '', 'Bad'] as const;
const LINUX_TYPES = ['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t', 'spc_t'] as const;
const SYSCTLS = [
  ...['kernel.shm_rmid_forced', 'net.ipv4.ip_local_port_range', 'net.ipv4.tcp_syncookies', 'net.ipv4.ping_group_range'],
  ...['net.ipv4.ip_unprivileged_port_start', 'net.ipv4.tcp_keepalive_time', 'net.ipv4.tcp_rmem', 'kernel.msgmax', ''],
  ...['net.ipv4.ip_local_reserved_ports', 'net.ipv4.tcp_fin_timeout', 'net.ipv4.tcp_keepalive_intvl'],
  ...['net.ipv4.tcp_keepalive_probes', 'net.ipv4.tcp_wmem', 'net/ipv4/tcp_rmem', 'kernel/shm_rmid_forced'],
] as [string, ...string[]];
const VOLUMES = [
  ...[
    'awsElasticBlockStore',
    'azureFile',
    'configMap',
    'csi',
    'downwardAPI',
    'emptyDir',
    'ephemeral',
    'flexVolume',
    'gitRepo',
  ],
  ...['hostPath', 'image', 'iscsi', 'nfs', 'persistentVolumeClaim', 'projected', 'rbd', 'secret', 'storageos'],
  ...['azureDisk', 'cephfs', 'cinder', 'fc', 'flocker', 'gcePersistentDisk', 'glusterfs', 'photonPersistentDisk'],
  ...['portworxVolume', 'quobyte', 'scaleIO', 'vsphereVolume'],
] as [string, ...string[]];
const HOSTS = [undefined, '', '127.0.0.1', 'localhost', '10.0.0.1', '::1', 'example.com'] as const;

type Members = Readonly<Record<string, unknown>>;

/** Makes pods with the fields that pod security checks. */
export class RandomPod {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  pod(): Members {
    const random = this.#random;
    const names = ['c0', 'c1', 'i0', 'e0', 'gone'] as const;
    const armor = `container.apparmor.security.beta.kubernetes.io/${random.of(names)}`;
    const seccomp = random.of([
      'seccomp.security.alpha.kubernetes.io/pod',
      'container.seccomp.security.alpha.kubernetes.io/c0',
    ]);
    const value = () => random.of(['runtime/default', 'docker/default', 'localhost/x', 'unconfined', '', 'bad']);
    return {
      metadata: {
        name: 'p',
        annotations: { ...this.#maybe(0.3, armor, value), ...this.#maybe(0.3, seccomp, value) },
      },
      spec: {
        containers: this.#containers('c', random.below(4)),
        initContainers: this.#containers('i', random.below(2)),
        ephemeralContainers: this.#containers('e', random.below(2)),
        volumes: this.#list(4, () => ({ name: 'v', [random.of(VOLUMES)]: {} })),
        ...this.#maybe(0.2, 'hostNetwork', () => this.#flag(0.5)),
        ...this.#maybe(0.2, 'hostPID', () => this.#flag(0.5)),
        ...this.#maybe(0.2, 'hostIPC', () => this.#flag(0.5)),
        ...this.#maybe(0.25, 'hostUsers', () => this.#flag(0.4)),
        ...this.#maybe(0.25, 'os', () => ({ name: random.of(['windows', 'linux', '']) })),
        ...this.#maybe(0.7, 'securityContext', () => ({
          ...this.#context(),
          ...this.#maybe(0.3, 'sysctls', () => this.#list(3, () => ({ name: random.of(SYSCTLS), value: '1' }))),
        })),
      },
    };
  }

  /** The fields that contexts of pods and of containers share. */
  #context(): Members {
    const random = this.#random;
    const profile = () => ({ type: random.of(PROFILES) });
    return {
      ...this.#maybe(0.5, 'runAsNonRoot', () => this.#flag(0.7)),
      ...this.#maybe(0.3, 'runAsUser', () => random.of([0, 1, 1000])),
      ...this.#maybe(0.5, 'seccompProfile', profile),
      ...this.#maybe(0.3, 'appArmorProfile', profile),
      ...this.#maybe(0.2, 'windowsOptions', () => this.#maybe(0.6, 'hostProcess', () => this.#flag(0.4))),
      ...this.#maybe(0.3, 'seLinuxOptions', () => ({
        ...this.#maybe(0.6, 'type', () => random.of(LINUX_TYPES)),
        ...this.#maybe(0.3, 'user', () => random.of(['', 'u'])),
        ...this.#maybe(0.3, 'role', () => random.of(['', 'r'])),
      })),
    };
  }

  #containers(prefix: string, count: number): Members[] {
    const random = this.#random;
    const port = () => ({ containerPort: 80, ...this.#maybe(0.6, 'hostPort', () => random.of([0, 80, 8080])) });
    return Array.from({ length: count }, (_, index) => ({
      name: `${prefix}${index}`,
      image: 'i',
      ...this.#maybe(0.3, 'ports', () => this.#list(3, port)),
      ...this.#maybe(0.15, random.of(['livenessProbe', 'readinessProbe', 'startupProbe']), () => this.#handler()),
      ...this.#maybe(0.15, 'lifecycle', () => ({ postStart: this.#handler(), preStop: this.#handler() })),
      ...this.#maybe(0.75, 'securityContext', () => ({
        ...this.#context(),
        ...this.#maybe(0.3, 'privileged', () => this.#flag(0.5)),
        ...this.#maybe(0.6, 'allowPrivilegeEscalation', () => this.#flag(0.3)),
        ...this.#maybe(0.2, 'procMount', () => random.of(['Default', 'Unmasked', '', 'x'])),
        ...this.#maybe(0.5, 'capabilities', () => ({
          ...this.#maybe(0.5, 'add', () => this.#list(3, () => random.of(CAPABILITIES))),
          ...this.#maybe(0.7, 'drop', () => (this.#flag(0.6) ? ['ALL'] : this.#list(3, () => random.of(CAPABILITIES)))),
        })),
      })),
    }));
  }

  #handler(): Members {
    const host = this.#random.of(HOSTS);
    if (this.#random.chance(0.2))
      return this.#random.of<Members>([{}, { grpc: { port: 1 } }, { exec: { command: ['x'] } }]);
    return { [this.#random.of(['httpGet', 'tcpSocket'])]: { port: 80, ...(host !== undefined && { host }) } };
  }

  #flag(probability: number): boolean {
    return this.#random.chance(probability);
  }

  #maybe(probability: number, name: string, make: () => unknown): Members {
    return this.#random.chance(probability) ? { [name]: make() } : {};
  }

  #list<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.#random.below(most + 1) }, make);
  }
}
