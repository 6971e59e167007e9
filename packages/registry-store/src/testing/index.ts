export { ManualClock } from '@apiserver/apimachinery/testing';
export { hashField } from '../sharding/hash-field.js';
export { parseShardSelector } from '../sharding/parse-shard-selector.js';
export { type KmsPlugin, type KmsPluginBehaviour, startKmsPlugin } from './encryption/kms-plugin.js';
export {
  type EtcdServer,
  type EtcdServerOptions,
  findEtcd,
  NO_ETCD,
  startEtcd,
  startEtcdCluster,
} from './etcd-server.js';
export { createFakeStorage, type FakeStorage } from './fake-storage.js';
export { partsOfObject } from './parts-of-object.js';
export { RecordingSink } from './recording-sink.js';
export { reportSoak, type SoakShare, seededRandom, soakRounds, soakShare } from './soak-share.js';
export {
  type KeyValueStoreTraits,
  keyValueStoreSuite,
  type OpenKeyValueStore,
} from './suites/key-value-store-suite.js';
export { type RestStorageFixture, restStorageSuite } from './suites/rest-storage-suite.js';
export { storageSuite } from './suites/storage-suite.js';
export type { OpenStorage, StorageFixture, StorageTraits } from './suites/storage-suite-fixture.js';
export { temporaryDirectory } from './temporary-directory.js';
export { createTestStore, TEST_TIME, type TestStore, testStoreSources } from './test-store.js';
export { WatchRecorder } from './watch-recorder.js';
export { testContext, type Widget, widget, widgetDefinition, widgetStrategy } from './widget.js';
export { memoizedCodecs, storedWidgetDefinition, widgetKind } from './widget-kind.js';
