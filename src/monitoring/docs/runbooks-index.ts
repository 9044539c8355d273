import { alertGroups } from '../alerts/index.ts'
import type { MonitoringInput } from '../monitoring.ts'
import { generatedMark, markdownTable, wrapped } from './markdown.ts'

export function runbooksIndex(input: MonitoringInput): string {
  const groups = alertGroups.map(({ why, alerts }) => {
    const rows = alerts(input).map(({ name, cases }) => {
      const severities = [...new Set(cases(input).map(({ severity }) => severity))]
      return [`[${name}](${name}.md)`, severities.join(', ') || 'only where `severity` of the check is raised']
    })
    return `${wrapped(why)}\n\n${markdownTable(['Alert', 'Severity'], rows)}\n`
  })
  return `# Runbooks

${generatedMark}

A page for each alert: meaning, impact, diagnosis, mitigation.

${wrapped('`tenantwatch` in their commands is the program beside the daemon, with its configuration, as its user: in a container `docker exec NAME tenantwatch`, in Kubernetes `kubectl -n tenantwatch exec service/tenantwatch -- tenantwatch` (any pod of it), beside a service the [script](../operations.md#as-a-service). Words in capitals are to be filled in. `http://127.0.0.1:9469` is the address of `server.listen`.')}

${groups.join('\n')}`
}
