import { runSliced, type SlicedWork, SliceFlow, SliceShare } from '@apiserver/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import type { RequestAudit } from './audit.js';
import { currentSpan, observed, timed, unobserved, type WorkObserver, workObserver } from './observed-work.js';
import type { TraceSpan } from './tracing.js';

function auditOf() {
  const layers: string[] = [];
  const audit = { spend: (layer: string) => void layers.push(layer) } as unknown as RequestAudit;
  return { audit, layers };
}

function workOf(): SlicedWork {
  return { flow: new SliceFlow(new SliceShare({ weight: 1 })), order: 1, attachment: undefined };
}

const observerOf = (audit: RequestAudit | undefined, span?: TraceSpan): WorkObserver => ({
  audit,
  span,
  auditId: 'id',
});

describe('observed', () => {
  it('lets an audited request be found in its own work, in what it awaits, and nowhere else', async () => {
    const [one, other] = [auditOf(), auditOf()];
    const etcd = async () => {
      await null;
      await timed('etcd', async () => {});
      return workObserver()?.audit;
    };
    const audits = await Promise.all([
      runSliced(workOf(), () => observed(observerOf(one.audit), etcd)),
      runSliced(workOf(), () => observed(observerOf(other.audit), etcd)),
      runSliced(workOf(), etcd),
      etcd(),
    ]);
    expect(audits).toEqual([one.audit, other.audit, undefined, undefined]);
    expect([one.layers, other.layers]).toEqual([['etcd'], ['etcd']]);
  });

  it('needs no work of flow control', async () => {
    const { audit } = auditOf();
    const found = async () => {
      await null;
      return workObserver()?.audit;
    };
    expect(await observed(observerOf(audit), found)).toBe(audit);
    const bare: SlicedWork = { flow: new SliceFlow(new SliceShare({ weight: 1 })), order: 1 };
    expect(await runSliced(bare, () => observed(observerOf(audit), found))).toBe(audit);
    expect(workObserver()).toBeUndefined();
  });

  it('gives a part of the work another observer, and then the first one again', () => {
    const [outer, inner] = [auditOf(), auditOf()];
    const span = {} as TraceSpan;
    runSliced(workOf(), () =>
      observed(observerOf(outer.audit), () => {
        observed(observerOf(inner.audit, span), () => {
          expect([workObserver()?.audit, currentSpan()]).toEqual([inner.audit, span]);
        });
        observed(observerOf(inner.audit), () => expect(workObserver()?.audit).toBe(inner.audit));
        expect([workObserver()?.audit, currentSpan()]).toEqual([outer.audit, undefined]);
      }),
    );
  });

  it('is hidden from work that belongs to no request', async () => {
    const { audit } = auditOf();
    const seen = async () => {
      await null;
      return [workObserver(), currentSpan()];
    };
    const unseen = runSliced(workOf(), () => observed(observerOf(audit), () => unobserved(seen)));
    expect(await unseen).toEqual([undefined, undefined]);
    const inTrace = observed(observerOf(audit, {} as TraceSpan), () => unobserved(seen));
    expect(await inTrace).toEqual([undefined, undefined]);
  });
});
