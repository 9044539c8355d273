import { type Mutant, mutantsIn } from './mutants.ts'

const tests = ['test/sync/tenant-identity.test.ts', 'test/sync/guard', 'test/sync/hold-tenant.test.ts']

export const identityMutants: readonly Mutant[] = [
  ...mutantsIn('src/sync/identity-proof.ts', tests, {
    'at first contact, any list of API clients is that of ownClientId': [
      'return seen.has(own)',
      'return seen.size > 0',
    ],
    'at first contact, a failing list of API clients lets any data in': [
      'const found = await this.#attempt(definition, 0, () => this.#search(definition, isListed))\n      if (this.#failure !== undefined) throw this.#failure',
      'const found = await this.#attempt(definition, 0, () => this.#search(definition, isListed))',
    ],
    'known users outweigh unknown GUIDs': ["if (this.#strange.length > 0) return this.#evidence('mismatch')", ''],
    'the oldest users may all be gone': [' && oldestShown * 2 > oldest', ''],
    'a user whose record fails validation is compared by nothing': [
      'const record = item.ok ? item.record : item.raw',
      'const record = item.ok ? item.record : null',
    ],
    'only the first page of a list is looked at': ['const mostPages = 50', 'const mostPages = 1'],
  }),
  ...mutantsIn('src/sync/tenant-guard.ts', tests, {
    'the hold for a missing ownClientId outlives the setting': ['|| remedyOf(hold) !== null)', ')'],
    'another tenant is not noticed': [
      "if (outcome === 'mismatch' && !(await acceptancePasses(evidence, answered)))",
      "if (outcome === 'mismatch' && passing())",
    ],
    'a token that may read no known record is let in': [
      "if (outcome === 'denied' && !denialPasses && tenant().deniedCredential === null)",
      'if (denialPasses && !denialPasses)',
    ],
  }),
  ...mutantsIn('src/model/hold-remedy.ts', ['test/commands/accept.test.ts', 'test/web/page'], {
    'a hold for a missing own client seems to be accepted': [
      "cause.check === 'own-client' ? ownClientRemedy : null",
      "cause.check === 'none' ? ownClientRemedy : null",
    ],
  }),
  ...mutantsIn('src/doctor/identity.ts', ['test/commands/doctor/identity.test.ts'], {
    'the doctor believes any tenant that answers': ['if (owed === null || isOther', 'if (owed !== null && isOther'],
    'the doctor only warns about a hold of the whole tenant': [
      'changedHint)\n  return failure(subject, `',
      'changedHint)\n  return warning(subject, `',
    ],
  }),
  ...mutantsIn('src/evaluate/evaluate-check.ts', ['test/sync/accepted-tenant.test.ts'], {
    'users of a former tenant are evaluated by the roles of the accepted one': [
      'some((input) => input.off || input.former)',
      'some((input) => input.off)',
    ],
  }),
  ...mutantsIn('src/store/sync/tenant-store.ts', ['test/sync/accepted-tenant.test.ts'], {
    'users of a former tenant that are not removed yet count as reliable': [
      ' || (yield* removalOwed.get(tenantId, resource)) !== undefined',
      '',
    ],
  }),
  ...mutantsIn('src/sync/tenant-engine.ts', ['test/sync/accepted-tenant.test.ts'], {
    'what a token may not read becomes the accepted tenant’s': [
      "'missing_permission') await this.#acceptanceEnds(",
      "'missing_permission') await this.#fullSyncCompleted(",
    ],
  }),
  ...mutantsIn('src/sync/decisions.ts', tests, {
    'accepting a denied token covers the removal of what cannot be read': [
      'deniedCredential: cause.credential })\n      return false',
      'deniedCredential: cause.credential })\n      return true',
    ],
    'an accepted page lets the whole tenant in': [
      '      await store.noteTenant(tenantId, { admitted: { resource: cause.resource, keys: cause.keys } })\n      return false',
      '      await store.noteTenant(tenantId, { admitted: { resource: cause.resource, keys: cause.keys } })\n      return true',
    ],
  }),
  ...mutantsIn('src/sync/pages/confirm-answer.ts', tests, {
    'unseen users are believed in a run that has proven the tenant': [
      'if (unknown.length > 0) return { careful: true, optional: true }',
      '',
    ],
    'unseen invalid users beside unchanged known ones are believed': [
      'if (unknown.length === 0 && !changes())',
      'if (!changes())',
    ],
    'two reads need not be equal': ['if (same) continue', 'if (same || run.pages <= 1000) continue'],
    'each proof follows one read, as a load balancer takes turns': [
      'const readsOfRound = [1, 2, 1, 3]',
      'const readsOfRound = [1]',
    ],
    'no proof follows a changed answer': ['    await prove()\n  }', '  }'],
  }),
  ...mutantsIn('src/store/sync/page-store.ts', tests, {
    'the page rule rests for invalid records': [
      'createdAtOf(item.ok ? item.record : item.raw)',
      'item.ok ? createdAtOf(item.record) : null',
    ],
    'tombstones of a tenant that was given up are still known': [
      '(!known.removed || known.firstSeenAt >= since)',
      '(!known.removed || since >= 0)',
    ],
  }),
  ...mutantsIn('src/sync/pages/refused-page.ts', tests, {
    'a server time that was ahead makes new records look old for good': [
      'isAhead ? null : completeServerTime',
      'completeServerTime',
    ],
    'a refused page passes when its records are invalid': [
      'createdAtOf(item.ok ? item.record : item.raw)',
      'item.ok ? createdAtOf(item.record) : null',
    ],
    'the page rule rests where the time of the server cannot be read': [
      'serverBegan ?? completeStartedAt',
      'serverBegan',
    ],
  }),
  ...mutantsIn('src/store/records/person-comparison.ts', tests, {
    'users are recognized without their e-mail': [
      'if (shown === undefined || lower(shown.email) !== lower(person.email)) return false',
      'if (shown === undefined) return false',
    ],
    'users are recognized without the time of their creation': [
      'return secondOf(shown.createdAt) === secondOf(person.createdAt)',
      'return true',
    ],
    'quarantined users are not known when users decide': ['[...mirrored, ...marked]', 'mirrored'],
  }),
  ...mutantsIn('src/sync/lists/whole-list.ts', tests, {
    'a changed answer is written without a second read': [
      'if (!isDoubted && (state.completeStartedAt !== null || (await guidsCount(run)))) await insistOnOneAnswer()',
      '',
    ],
  }),
  ...mutantsIn('src/sync/lists/whole-list.ts', ['test/sync/contradicting-servers.test.ts'], {
    'a contradiction is forgotten when later answers agree': [
      'if (other !== null) throw',
      'if (other !== null && isDoubted) throw',
    ],
    'the older one of two contradicting answers renews the data': [
      'const isDoubted = guard.contradicted.has(definition.name)',
      'const isDoubted = false',
    ],
  }),
  ...mutantsIn('src/sync/pages/confirm-answer.ts', ['test/sync/contradicting-servers.test.ts'], {
    'the older one of two contradicting pages renews the data': [
      'return guard.contradicted.has(definition.name) ?',
      'return false ?',
    ],
  }),
  ...mutantsIn('src/evaluate/data-quality.ts', ['test/daemon/shared-tenants.test.ts'], {
    'checks pass over the data of another configured tenant': [
      'if (quality.sharedWith === undefined) return measured',
      'if (quality.sharedWith !== null) return measured',
    ],
  }),
  ...mutantsIn('src/sync/pages/confirm-answer.ts', ['test/sync/uneven-pages.test.ts'], {
    'a whole list of a few users confirms the longer page of a foreign tenant': [
      'other.hasMore && contains(first, second)',
      'contains(first, second)',
    ],
  }),
  ...mutantsIn('src/sync/removals/confirm-missing.ts', tests, {
    'users are removed by a 404 without a proof': ['if (!proven) await run.guard.prove(signal)', ''],
  }),
  ...mutantsIn('src/sync/accepted-change.ts', ['test/sync/accepted-tenant.test.ts'], {
    'an acceptance covers a third tenant under the same token': [
      'comparable.length > 0 && !comparable.some',
      'comparable.length < 0 && !comparable.some',
    ],
    'an acceptance covers a third tenant': [
      'answered?.credential === acceptedCredential ? changeAccepted : null',
      'answered?.credential === undefined ? null : changeAccepted',
    ],
  }),
  ...mutantsIn('src/evaluate/data-quality.ts', ['test/evaluate/read-posture.test.ts'], {
    'a refused token is believed by resources that are not due': ["(refused ? 'unauthorized' : null)", 'null'],
  }),
  ...mutantsIn('src/checks/user-least-privilege.ts', ['test/checks/user-least-privilege.test.ts'], {
    'users in unspecified states are no longer looked at': ["not: 'Invited' } as const", "is: 'Active' } as const"],
  }),
  ...mutantsIn('src/sync/tenant-guard.ts', ['test/sync/guard-tenant-denied.test.ts'], {
    'an accepted lack of proof covers each token that lacks the permissions': [
      "(outcome === 'denied' && deniedCredential === credential)) return",
      "outcome === 'denied') return",
    ],
  }),
  ...mutantsIn('src/store/sync/page-store.ts', ['test/sync/user-details.test.ts'], {
    'an answer by id that contradicts the list is overlooked': [
      'if (contested.length === 0) yield*',
      'if (contested.length >= 0) yield*',
    ],
  }),
  ...mutantsIn('src/store/records/quarantine-store.ts', ['test/sync/user-details.test.ts'], {
    'a list that is read well ends the quarantine of a contradicted user': [
      'then not exists (',
      'then 1 = 1 or not exists (',
    ],
  }),
  ...mutantsIn('src/store/sync/lookup-store.ts', ['test/sync/user-details.test.ts'], {
    'contradicted users are not looked up first': ['resource, half)', 'resource, 0)'],
  }),
]
