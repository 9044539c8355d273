import type { Mutant } from './mutants.ts'

/** Deliberate mistakes in reading records, in what is stored of them, and in what becomes of repeats and details. */
export const decoderMutants: readonly Mutant[] = [
  {
    name: 'a provider type of a wrong type becomes null',
    file: 'src/tenant/shapes/authentication-settings.ts',
    find: "judgedTextOrNull(draft, 'providerType', raw['providerType'])",
    replace: "typeof raw['providerType'] === 'string' ? raw['providerType'] : null",
    tests: ['test/tenant/shapes'],
  },
  {
    name: 'a date ahead of the server time is believed',
    file: 'src/tenant/shapes/judged-fields.ts',
    find: 'if (ms !== undefined && ms <= latest) return value',
    replace: 'if (ms !== undefined) return value',
    tests: ['test/tenant/shapes'],
  },
  {
    name: 'only names at the top are looked at for secrets',
    file: 'src/tenant/shapes/withheld.ts',
    find: 'kept[freeName(kept, storableName(name))] = namesSecret(name) ? withheld(one) : storable(one)',
    replace: 'kept[freeName(kept, storableName(name))] = storable(one)',
    tests: ['test/tenant/shapes'],
  },
  {
    name: 'the name of an unknown field is stored and told as it comes',
    file: 'src/tenant/shapes/withheld.ts',
    find: "const harmless = name.length <= longestName && !name.includes('@') && !hasSecretLook(name)",
    replace: 'const harmless = name.length > 0',
    tests: ['test/tenant/shapes'],
  },
  {
    name: 'a quarantined record is stored with its secrets',
    file: 'src/tenant/shapes/draft.ts',
    find: 'return { ok: false, id, raw: rawWithoutSecrets(raw, described), problem: draft.problem }',
    replace:
      'return { ok: false, id, raw: described === undefined ? rawWithoutSecrets(raw, described) : raw, problem: draft.problem }',
    tests: ['test/tenant/shapes'],
  },
  {
    name: 'of two records with one id in one answer the first counts',
    file: 'src/mirror/repeats.ts',
    find: 'if (field === null) continue',
    replace: 'if (field !== undefined) continue',
    tests: ['test/sync/same-id-twice.test.ts'],
  },
  {
    name: 'a record that the full sync has shown before is written again',
    file: 'src/mirror/record-writer.ts',
    find: 'different !== null && context.repeated?.(rid) === true',
    replace: 'different !== null && context.repeated === undefined',
    tests: ['test/sync/same-id-twice.test.ts'],
  },
  {
    name: 'what an incremental sync shows beside a full one counts as a page of it',
    file: 'src/mirror/walk-notes.ts',
    find: "'select page, rids from walk_pages where walk_id = ? and page > ? order by page'",
    replace: "'select page, rids from walk_pages where walk_id = ? and abs(page) > ? order by page'",
    tests: ['test/sync/same-id-twice.test.ts'],
  },
  {
    name: 'a detail with another role name supplies the role',
    file: 'src/mirror/page-store.ts',
    find: "if (ifEqual.some((field) => fields.includes(field)) || typeof value !== 'number')",
    replace: "if (typeof value !== 'number')",
    tests: ['test/sync/user-details.test.ts'],
  },
  {
    name: 'the deviations of a page that is not read again are not counted',
    file: 'src/sync/feed-walk.ts',
    find: '    noteOddities(run, note.oddities)\n',
    replace: '',
    tests: ['test/sync/known-pages.test.ts'],
  },
  {
    name: 'a 201 is believed whatever it says of the user',
    file: 'src/tenant/create-user.ts',
    find: 'if (broken !== null) throw',
    replace: 'if (broken === undefined) throw',
    tests: ['test/tenant/create-user.test.ts'],
  },
]
