/**
 * Command lines by which distributions start kube-apiserver: facts from their sources and manifests. Paths below
 * /etc/kubernetes, ports and addresses are replaced by those of a test.
 */
export interface CommandLine {
  readonly name: string;
  readonly flags: readonly string[];
}

const PKI = '/etc/kubernetes/pki';

/** Upstream: cmd/kubeadm/app/phases/controlplane/manifests.go */
const KUBEADM = [
  '--advertise-address=192.0.2.10',
  '--allow-privileged=true',
  '--authorization-mode=Node,RBAC',
  `--client-ca-file=${PKI}/ca.crt`,
  '--enable-admission-plugins=NodeRestriction',
  '--enable-bootstrap-token-auth=true',
  `--etcd-cafile=${PKI}/etcd/ca.crt`,
  `--etcd-certfile=${PKI}/apiserver-etcd-client.crt`,
  `--etcd-keyfile=${PKI}/apiserver-etcd-client.key`,
  '--etcd-servers=https://127.0.0.1:2379',
  `--kubelet-client-certificate=${PKI}/apiserver-kubelet-client.crt`,
  `--kubelet-client-key=${PKI}/apiserver-kubelet-client.key`,
  '--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname',
  `--proxy-client-cert-file=${PKI}/front-proxy-client.crt`,
  `--proxy-client-key-file=${PKI}/front-proxy-client.key`,
  '--requestheader-allowed-names=front-proxy-client',
  `--requestheader-client-ca-file=${PKI}/front-proxy-ca.crt`,
  '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  '--requestheader-group-headers=X-Remote-Group',
  '--requestheader-username-headers=X-Remote-User',
  '--secure-port=6443',
  '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
  `--service-account-key-file=${PKI}/sa.pub`,
  `--service-account-signing-key-file=${PKI}/sa.key`,
  '--service-cluster-ip-range=10.96.0.0/12',
  `--tls-cert-file=${PKI}/apiserver.crt`,
  `--tls-private-key-file=${PKI}/apiserver.key`,
];

const K3S = [
  '--advertise-address=192.0.2.10',
  '--advertise-port=6443',
  '--allow-privileged=true',
  '--anonymous-auth=false',
  '--api-audiences=https://kubernetes.default.svc.cluster.local,k3s',
  '--authorization-mode=Node,RBAC',
  '--bind-address=127.0.0.1',
  '--cert-dir=/etc/kubernetes/temporary-certs',
  `--client-ca-file=${PKI}/ca.crt`,
  '--egress-selector-config-file=/etc/kubernetes/egress-selector-config.yaml',
  '--enable-admission-plugins=NodeRestriction',
  '--enable-aggregator-routing=true',
  '--enable-bootstrap-token-auth=true',
  '--etcd-servers=http://127.0.0.1:2379',
  `--kubelet-certificate-authority=${PKI}/ca.crt`,
  `--kubelet-client-certificate=${PKI}/client.crt`,
  `--kubelet-client-key=${PKI}/client.key`,
  '--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname',
  '--profiling=false',
  `--proxy-client-cert-file=${PKI}/proxy.crt`,
  `--proxy-client-key-file=${PKI}/proxy.key`,
  '--requestheader-allowed-names=system:auth-proxy',
  `--requestheader-client-ca-file=${PKI}/proxy-ca.crt`,
  '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  '--requestheader-group-headers=X-Remote-Group',
  '--requestheader-username-headers=X-Remote-User',
  '--secure-port=6444',
  '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
  `--service-account-key-file=${PKI}/service.key`,
  `--service-account-signing-key-file=${PKI}/service.key`,
  '--service-cluster-ip-range=10.43.0.0/16',
  '--service-node-port-range=30000-32767',
  '--storage-backend=etcd3',
  `--tls-cert-file=${PKI}/serving.crt`,
  '--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305,TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305',
  `--tls-private-key-file=${PKI}/serving.key`,
];

const KWOK = [
  '--etcd-prefix=/registry',
  '--allow-privileged=true',
  '--max-requests-inflight=0',
  '--max-mutating-requests-inflight=0',
  '--enable-priority-and-fairness=false',
  '--etcd-servers=http://127.0.0.1:2379',
  '--authorization-mode=Node,RBAC',
  '--bind-address=0.0.0.0',
  '--secure-port=6443',
  `--tls-cert-file=${PKI}/admin.crt`,
  `--tls-private-key-file=${PKI}/admin.key`,
  `--client-ca-file=${PKI}/ca.crt`,
  `--service-account-key-file=${PKI}/admin.key`,
  `--service-account-signing-key-file=${PKI}/admin.key`,
  '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
  `--proxy-client-key-file=${PKI}/admin.key`,
  `--proxy-client-cert-file=${PKI}/admin.crt`,
];

const ENVTEST = [
  '--advertise-address=127.0.0.1',
  '--allow-privileged=true',
  '--authorization-mode=RBAC',
  '--bind-address=127.0.0.1',
  '--cert-dir=/etc/kubernetes/temporary-certs',
  `--client-ca-file=${PKI}/ca.crt`,
  '--disable-admission-plugins=ServiceAccount',
  '--etcd-servers=http://127.0.0.1:2379',
  '--secure-port=6443',
  '--service-account-issuer=https://127.0.0.1:6443/',
  `--service-account-key-file=${PKI}/sa.key`,
  `--service-account-signing-key-file=${PKI}/sa.key`,
  '--service-cluster-ip-range=10.0.0.0/24',
];

/**
 * The kube-api-test of fabric8, envtest's relative for Java. It names a certificate as an issuer, and its folder has the
 * serving certificate that the server is to find. Upstream: KubeAPIServerProcess.java of version 7.5.2
 */
const FABRIC8 = [
  `--cert-dir=${PKI}`,
  '--secure-port=6443',
  '--etcd-servers=http://127.0.0.1:2379',
  '--authorization-mode=RBAC',
  '--service-account-issuer=https://localhost',
  `--service-account-signing-key-file=${PKI}/apiserver.key`,
  `--service-account-signing-key-file=${PKI}/apiserver.key`,
  `--service-account-key-file=${PKI}/apiserver.key`,
  `--service-account-issuer=${PKI}/apiserver.crt`,
  '--disable-admission-plugins=ServiceAccount',
  `--client-ca-file=${PKI}/client.crt`,
  '--service-cluster-ip-range=10.0.0.0/24',
  '--allow-privileged',
];

/** Sidero's provider (CABPT) starts what Talos has in its static pod. */
const TALOS = [
  '--admission-control-config-file=/etc/kubernetes/admission.yaml',
  '--allow-privileged=true',
  '--anonymous-auth=false',
  '--api-audiences=https://192.0.2.10:6443',
  '--audit-log-maxage=30',
  '--audit-log-maxbackup=10',
  '--audit-log-maxsize=100',
  '--audit-log-path=/etc/kubernetes/audit.log',
  '--audit-policy-file=/etc/kubernetes/audit-policy.yaml',
  '--authorization-mode=Node,RBAC',
  '--bind-address=0.0.0.0',
  `--client-ca-file=${PKI}/ca.crt`,
  '--enable-admission-plugins=NodeRestriction',
  '--enable-bootstrap-token-auth=true',
  '--encryption-provider-config=/etc/kubernetes/encryption.yaml',
  `--etcd-cafile=${PKI}/etcd-ca.crt`,
  `--etcd-certfile=${PKI}/etcd-client.crt`,
  `--etcd-keyfile=${PKI}/etcd-client.key`,
  '--etcd-servers=https://127.0.0.1:2379',
  `--kubelet-client-certificate=${PKI}/kubelet-client.crt`,
  `--kubelet-client-key=${PKI}/kubelet-client.key`,
  '--profiling=false',
  `--proxy-client-cert-file=${PKI}/front-proxy-client.crt`,
  `--proxy-client-key-file=${PKI}/front-proxy-client.key`,
  '--requestheader-allowed-names=front-proxy-client',
  `--requestheader-client-ca-file=${PKI}/front-proxy-ca.crt`,
  '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  '--requestheader-group-headers=X-Remote-Group',
  '--requestheader-username-headers=X-Remote-User',
  '--secure-port=6443',
  '--service-account-issuer=https://192.0.2.10:6443',
  `--service-account-key-file=${PKI}/sa.pub`,
  `--service-account-signing-key-file=${PKI}/sa.key`,
  '--service-cluster-ip-range=10.96.0.0/12',
  `--tls-cert-file=${PKI}/apiserver.crt`,
  '--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,TLS_AES_128_GCM_SHA256,TLS_AES_256_GCM_SHA384,TLS_CHACHA20_POLY1305_SHA256',
  '--tls-min-version=VersionTLS12',
  `--tls-private-key-file=${PKI}/apiserver.key`,
];

/** A kubeadm cluster after the recommendations of the CIS benchmark. */
const CIS = [
  ...KUBEADM.filter((flag) => !flag.startsWith('--enable-admission-plugins')),
  '--admission-control-config-file=/etc/kubernetes/admission.yaml',
  '--anonymous-auth=false',
  '--audit-log-maxage=30',
  '--audit-log-maxbackup=10',
  '--audit-log-maxsize=100',
  '--audit-log-path=/etc/kubernetes/audit.log',
  '--audit-policy-file=/etc/kubernetes/audit-policy.yaml',
  '--enable-admission-plugins=NodeRestriction,AlwaysPullImages,EventRateLimit,PodSecurity',
  '--encryption-provider-config=/etc/kubernetes/encryption.yaml',
  `--kubelet-certificate-authority=${PKI}/ca.crt`,
  '--profiling=false',
  '--request-timeout=300s',
  '--service-account-extend-token-expiration=false',
  '--service-account-lookup=true',
  '--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  '--tls-min-version=VersionTLS12',
];

/** The provider that starts clusters in Docker, with its quick start's Pod Security configuration. */
const CAPD = [
  ...KUBEADM,
  '--runtime-config=',
  '--admission-control-config-file=/etc/kubernetes/kube-apiserver-admission-pss.yaml',
];

const MINIKUBE_PLUGINS =
  'NamespaceLifecycle,LimitRanger,ServiceAccount,DefaultStorageClass,DefaultTolerationSeconds,NodeRestriction,MutatingAdmissionWebhook,ValidatingAdmissionWebhook,ResourceQuota';

export const commandLines: readonly CommandLine[] = [
  { name: 'kubeadm', flags: KUBEADM },
  { name: 'kind', flags: [...KUBEADM, '--runtime-config='] },
  {
    name: 'minikube',
    flags: KUBEADM.map((flag) =>
      flag.startsWith('--enable-admission-plugins') ? `--enable-admission-plugins=${MINIKUBE_PLUGINS}` : flag,
    ),
  },
  { name: 'k3s', flags: K3S },
  { name: 'kwok', flags: KWOK },
  { name: "Cluster API's Docker provider", flags: CAPD },
  { name: "Cluster API's Talos provider", flags: TALOS },
  { name: 'envtest', flags: ENVTEST },
  { name: "fabric8's kube-api-test", flags: FABRIC8 },
  { name: 'a cluster hardened after CIS', flags: CIS },
];
