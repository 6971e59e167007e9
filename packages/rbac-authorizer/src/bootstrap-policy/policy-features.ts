/**
 * Feature gates that add rules to the policy.
 * Upstream: the gates that bootstrappolicy/policy.go and controller_policy.go ask for
 */
export interface PolicyFeatures {
  /** The gate ClusterTrustBundle. Default: off. */
  readonly clusterTrustBundle?: boolean;
  /** The gate PodCertificateRequest. Default: off. */
  readonly podCertificateRequest?: boolean;
  /** The gate DRADeviceTaintRules. Default: off. */
  readonly deviceTaintRules?: boolean;
  /** The gate DRAResourcePoolStatus. Default: off. */
  readonly resourcePoolStatus?: boolean;
  /** The gate GenericWorkload. Default: off. */
  readonly genericWorkload?: boolean;
  /** The gate StorageVersionAPI. Default: off. */
  readonly storageVersions?: boolean;
  /** The gate StorageVersionMigrator. Default: off. */
  readonly storageVersionMigrator?: boolean;
  /** The gate ComponentFlagz. Default: on. */
  readonly flagz?: boolean;
  /** The gate ComponentStatusz. Default: on. */
  readonly statusz?: boolean;
}
