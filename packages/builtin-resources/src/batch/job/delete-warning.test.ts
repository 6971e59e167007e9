import type { Job } from '@apiserver/api/batch/v1';
import type { DeleteOptions } from '@apiserver/apimachinery';
import type { GenericStore, ParsedListOptions } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { jobDeletion } from './delete-warning.js';

describe('deletion of jobs', () => {
  it.each<[DeleteOptions, number]>([
    [{}, 1],
    [{ gracePeriodSeconds: 0 }, 1],
    [{ propagationPolicy: 'Orphan' }, 0],
    [{ propagationPolicy: 'Background' }, 0],
    [{ orphanDependents: false }, 0],
  ])('with %j warns %i times', async (options, count) => {
    const warned: string[] = [];
    const deleted: DeleteOptions[] = [];
    const generic = {
      delete: async (...args: readonly unknown[]) => deleted.push(args[3] as DeleteOptions),
      deleteCollection: async (...args: readonly unknown[]) => deleted.push(args[2] as DeleteOptions),
    } as unknown as GenericStore<Job>;
    const context = { ...testContext(), warnings: { warn: (text: string) => warned.push(text) } };
    const deletion = jobDeletion(generic);
    await deletion.delete(context, 'j', async () => {}, options);
    await deletion.deleteCollection(context, async () => {}, options, {} as ParsedListOptions);
    expect(deleted).toEqual([options, options]);
    expect(warned).toHaveLength(2 * count);
    for (const text of warned) expect(text).toMatch(/^child pods are preserved by default when jobs are deleted; /);
  });
});
