import { createFakeStorage } from '../testing/fake-storage.js';
import { restStorageSuite } from '../testing/suites/rest-storage-suite.js';
import { testStoreSources } from '../testing/test-store.js';
import { testContext, type Widget, widget, widgetDefinition } from '../testing/widget.js';
import { createStore } from './create-store.js';

restStorageSuite('Widgets over a fake storage', () => ({
  storage: createStore<Widget>({
    definition: widgetDefinition(),
    storage: createFakeStorage(),
    ...testStoreSources(),
  }),
  context: testContext(),
  object: (name) => widget(name === undefined ? { generateName: 'g-' } : { name }, { spec: { size: 1 } }),
  change: (draft) => {
    draft.metadata.labels = { ...draft.metadata.labels, changed: 'yes' };
  },
  deletesAtOnce: true,
}));
