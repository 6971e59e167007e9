/**
 * A part of the code whose mutants are sampled together.
 *
 * @typedef {object} Target
 * @property {readonly string[]} mutate globs of what is mutated, relative to the repository
 * @property {readonly string[]} tests globs of the tests that may kill; they run in memory, without a binary or a
 * kubectl
 * @property {readonly string[]} [excluded] those among them that do not run: they compare the text of mutated files, or
 * take too long
 */

const notMutated = [
  '!packages/*/src/**/*.{test,soak}.ts',
  '!packages/*/src/**/testing/**',
  '!packages/*/src/**/index.ts',
];

/** @type {Readonly<Record<string, Target>>} */
export const targets = {
  validation: {
    mutate: [
      'packages/builtin-resources/src/**/*validation*.ts',
      'packages/builtin-resources/src/**/validation/**/*.ts',
      'packages/builtin-resources/src/core/pod-spec/**/*.ts',
      ...notMutated,
    ],
    tests: ['packages/builtin-resources/src/**/*.test.ts'],
    excluded: ['packages/builtin-resources/src/{adding-a-resource,kind-rules,rest-storage}.test.ts'],
  },
  admission: {
    mutate: ['packages/admission/src/**/*.ts', ...notMutated],
    tests: ['packages/admission/src/**/*.test.ts'],
  },
  authorization: {
    mutate: ['packages/{authorization,rbac-authorizer}/src/**/*.ts', ...notMutated],
    tests: ['packages/{authorization,rbac-authorizer}/src/**/*.test.ts'],
  },
  // Commands, launchers and the bundle run in processes of their own, where no mutant is active.
  wiring: {
    mutate: [
      'packages/kube-apiserver/src/{api-enablement,config,features,options,server,start,storage}/**/*.ts',
      'packages/{bootstrap-pki,component-base,rest-client}/src/**/*.ts',
      'packages/generic-server/src/{config,delegating,front-door,options,webhooks}/**/*.ts',
      'packages/controlplane/src/**/*.ts',
      ...notMutated,
    ],
    tests: [
      'packages/kube-apiserver/src/{api-enablement,config,features,options,server,start,storage}/**/*.test.ts',
      'packages/{bootstrap-pki,component-base,rest-client}/src/**/*.test.ts',
      'packages/generic-server/src/{config,delegating,front-door,options,server,webhooks}/**/*.test.ts',
      'packages/controlplane/src/**/*.test.ts',
      'test/{delegation,embedding,guards,tracing,webhooks}/**/*.test.ts',
    ],
    // One measures the heap of another process, which no mutant can change. One reads the counts of earlier tests.
    excluded: ['packages/kube-apiserver/src/start/young-generation.test.ts', 'test/guards/metrics.test.ts'],
  },
  // Without what needs an etcd, and tests that start other processes.
  storage: {
    mutate: [
      'packages/registry-store/src/{cacher,encryption,informer,lmdb,memory,mvcc,objects,queue,semantics,store}/**/*.ts',
      'packages/registry-store/src/*.ts',
      '!packages/registry-store/src/encryption/kms/**',
      ...notMutated,
    ],
    tests: [
      'packages/registry-store/src/{cacher,informer,memory,mvcc,objects,queue,semantics,store}/**/*.test.ts',
      'packages/registry-store/src/encryption/**/*.test.ts',
      'packages/registry-store/src/lmdb/**/*.test.ts',
      'packages/registry-store/src/*.test.ts',
    ],
    excluded: [
      'packages/registry-store/src/encryption/kms/**',
      'packages/registry-store/src/lmdb/{crash,damaged-records,endless-updates,full-disk}.test.ts',
    ],
  },
};
