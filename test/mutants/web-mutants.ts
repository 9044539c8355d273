import { type Mutant, mutantsIn } from './mutants.ts'

export const webMutants: readonly Mutant[] = [
  ...mutantsIn('src/web/json-api.ts', ['test/web/findings-route.test.ts'], {
    'a check that does not exist has no findings': ['check != null && !known.checks.includes(check)', 'false'],
  }),
  ...mutantsIn('src/web/app.ts', ['test/web/findings-route.test.ts'], {
    'a parameter that a route does not take is ignored': ['if (unknown !== undefined) return', 'if (false) return'],
    'of a parameter that is given twice the first value counts': [
      'request.repeated !== null',
      'request.repeated === ""',
    ],
  }),
  ...mutantsIn('src/commands/program.ts', ['test/commands/program.test.ts'], {
    'of an option that is given twice the last value counts': ['if (given.has(name))', 'if (given.has(""))'],
  }),
  ...mutantsIn('src/web/access-control.ts', ['test/web/routes.test.ts'], {
    'the page is served under any host name': [
      'if (!anyHostPaths.has(request.path) && ',
      'if (request.path.startsWith("/api/") && ',
    ],
  }),
  ...mutantsIn('src/web/request-listener.ts', ['test/web/odd-requests.test.ts'], {
    'only the Host header counts, not the target of the request': ['isWhole ? [named, targeted] : [named]', '[named]'],
  }),
  ...mutantsIn('src/model/process/loopback.ts', ['test/model/loopback.test.ts'], {
    'a name under localhost counts as this machine': ["name === 'localhost' ||", '/(^|\\.)localhost$/.test(name) ||'],
  }),
  ...mutantsIn('src/web/live-web.ts', ['test/web/live-web.test.ts'], {
    'an address that is open to everybody is not mentioned': [
      '!isLoopback(host) && !isProtected(this.#settings)',
      'false',
    ],
  }),
  ...mutantsIn('src/web/connection-limit.ts', ['test/web/abuse.test.ts'], {
    'a connection whose reader takes nothing keeps its place': [
      'first([...limits.awaited].map(peerOf), (one) => among.has(one)) ??',
      '',
    ],
  }),
  ...mutantsIn('src/web/heavy-lane.ts', ['test/web/slow-readers.test.ts'], {
    'any number of large answers is under way': ['if (underWay >= most && !makeRoom()) return undefined', ''],
  }),
  ...mutantsIn('src/web/slow-readers.ts', ['test/web/slow-readers.test.ts'], {
    'what is kept for readers has no bound': ['sum > limits.maxKept', 'sum > Number.MAX_VALUE'],
  }),
  ...mutantsIn('src/web/app.ts', ['test/web/in-turn.test.ts'], {
    'scrapes that share an exposition take its pieces from each other': [
      'ofType(contentType, [...body], {',
      'ofType(contentType, body as Uint8Array[], {',
    ],
  }),
  ...mutantsIn('src/web/request-listener.ts', ['test/web/in-turn.test.ts'], {
    'an answer retains the pieces that were sent': [
      'for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {',
      'for (const piece of pieces) {',
    ],
  }),
  ...mutantsIn('src/web/page/load-page.ts', ['test/web/page-parts.test.ts'], {
    'the page counts only as many findings as it shows when it searches': [
      'if (onlyShown && isFull()) break',
      'if (isFull()) break',
    ],
    'the page counts the findings of a check whose name has the text by those it shows': [
      'if (named === null) bySeverity[finding.severity]++',
      'bySeverity[finding.severity]++',
    ],
  }),
  ...mutantsIn('src/web/shown-findings.ts', ['test/web/entity-names.test.ts'], {
    'names are read where they may not be shown': ['withPersonal: exposeDetails', 'withPersonal: true'],
  }),
  ...mutantsIn('src/model/text/redact-finding.ts', ['test/web/entity-names.test.ts'], {
    'a finding without details keeps the name of its entity': [
      'entity: { type, id: isNamed ? hidden : id },',
      'entity: { ...finding.entity, id: isNamed ? hidden : id },',
    ],
  }),
  ...mutantsIn('src/store/findings/entity-names.ts', ['test/store/finding-names.test.ts'], {
    'a finding is found by the name of a user of another tenant': ['r.tenant_id = "findings"."tenant_id" and ', ''],
  }),
  ...mutantsIn('src/store/findings/entity-order.ts', ['test/store/finding-order.test.ts'], {
    'the list by entity loses findings beyond those that are kept in memory': [
      'kept.length < 2 * most',
      'kept.length < most / 2',
    ],
  }),
  ...mutantsIn('src/model/text/csv.ts', ['test/report/csv.test.ts'], {
    'a formula behind white space goes into a spreadsheet as it is': ['hiddenFormula.test(value)', 'false'],
  }),
]
