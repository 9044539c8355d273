import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { temporaryFolder } from '../support/temporary.ts'

const run = promisify(execFile)
const isThere = (program: string, ...args: readonly string[]) => spawnSync(program, args).status === 0

it('ships a configuration of Prometheus and of Alertmanager that their own tools take', async () => {
  const folder = temporaryFolder()
  // The tool requires the rules at the configured path.
  const text = readFileSync('deploy/compose/prometheus.yml', 'utf8')
  writeFileSync(join(folder, 'prometheus.yml'), text.replace('/etc/prometheus/', './'))
  copyFileSync('config/prometheus/rules.yml', join(folder, 'rules.yml'))
  const { stdout } = await run('promtool', ['check', 'config', join(folder, 'prometheus.yml')])
  expect(stdout).toContain('1 rule files found')
  const { stdout: observed } = await run('amtool', ['check-config', 'config/alertmanager.yml'])
  expect(observed).toMatch(/SUCCESS[\s\S]*9 inhibit rules/)
})

it('finds the shipped files from any folder and by a link, as a package has one', async () => {
  const folder = temporaryFolder()
  symlinkSync(resolve('dist/tenantwatch.js'), join(folder, 'tenantwatch'))
  const env = { TENANTWATCH_BASE_URL: 'https://api.example.com', TENANTWATCH_TOKEN: 'x' }
  const args = ['tenantwatch', 'dashboards', 'posture']
  const { stdout } = await run(process.execPath, args, { cwd: folder, env, maxBuffer: 1 << 24 })
  expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync('config/grafana/posture.json', 'utf8')))
})

const hasKustomize = isThere('kubectl', 'version', '--client')

async function kustomized(folder: string): Promise<readonly Built[]> {
  const { stdout } = await run('kubectl', ['kustomize', folder])
  return parseAllDocuments(stdout).map((document) => document.toJS() as Built)
}

it.runIf(hasKustomize)('builds the manifests with the real kustomize', async () => {
  const built = await kustomized('deploy/kubernetes')
  const kinds = ['ConfigMap', 'Namespace', 'NetworkPolicy', 'Service', 'ServiceAccount']
  expect(built.map(({ kind }) => kind).toSorted()).toEqual([...kinds, 'ServiceMonitor', 'StatefulSet'])
  const own = { 'app.kubernetes.io/name': 'tenantwatch' }
  for (const { metadata } of built) expect(metadata.labels).toMatchObject(own)
  const of = (kind: string) => built.find((one) => one.kind === kind)?.spec
  // What the base leaves empty selects everything unless kustomize fills it in.
  expect(of('Service')).toMatchObject({ selector: own })
  expect(of('ServiceMonitor')).toMatchObject({ selector: { matchLabels: own } })
  expect(of('NetworkPolicy')).toMatchObject({ podSelector: { matchLabels: own } })
  expect(of('StatefulSet')).toMatchObject({
    selector: { matchLabels: own },
    template: { metadata: { labels: own }, spec: { volumes: expect.arrayContaining([tokens]) } },
  })
})

it.runIf(hasKustomize)('builds the manifests of replicas from those of one pod', async () => {
  const [one, several] = [await kustomized('deploy/kubernetes'), await kustomized('deploy/kubernetes-postgresql')]
  const own = { 'app.kubernetes.io/name': 'tenantwatch' }
  for (const { metadata } of several) expect(metadata.labels).toMatchObject(own)
  const kinds = one.map(({ kind }) => kind).filter((kind) => kind !== 'StatefulSet')
  expect(several.map(({ kind }) => kind).toSorted()).toEqual([...kinds, 'Deployment', 'PodDisruptionBudget'].toSorted())
  const of = (kind: string) => several.find((one) => one.kind === kind)
  expect(of('PodDisruptionBudget')?.spec).toMatchObject({ selector: { matchLabels: own }, maxUnavailable: 1 })
  expect(of('Service')?.spec).toMatchObject({ selector: own, publishNotReadyAddresses: false })
  expect(of('NetworkPolicy')?.spec).toMatchObject({
    egress: expect.arrayContaining([{ ports: [{ port: 5432, protocol: 'TCP' }] }]),
  })
  const spread = { whenUnsatisfiable: 'ScheduleAnyway', labelSelector: { matchLabels: own } }
  const config = of('ConfigMap')
  expect(config?.data?.['tenantwatch.yaml']).toBe(readFileSync('deploy/kubernetes-postgresql/tenantwatch.yaml', 'utf8'))
  expect(of('Deployment')?.spec).toMatchObject({
    selector: { matchLabels: own },
    template: {
      metadata: { labels: own },
      spec: {
        topologySpreadConstraints: [spread, spread],
        volumes: expect.arrayContaining([tokens, { name: 'config', configMap: { name: config?.metadata.name } }]),
      },
    },
  })
})

it.runIf(hasKustomize)(
  'leaves user and group to OpenShift, and lets out its name resolution, over either base',
  async () => {
    const folder = temporaryFolder()
    cpSync('deploy', join(folder, 'deploy'), { recursive: true })
    for (const base of ['kubernetes', 'kubernetes-postgresql']) {
      const text = `resources: [../deploy/${base}]\ncomponents: [../deploy/openshift]\n`
      mkdirSync(join(folder, base))
      writeFileSync(join(folder, base, 'kustomization.yaml'), text)
      const built = await kustomized(join(folder, base))
      const pods = built.find(({ kind }) => /^(StatefulSet|Deployment)$/.test(kind))?.spec
      expect(JSON.stringify(pods)).not.toMatch(/runAsUser|runAsGroup|fsGroup"/)
      const policy = built.find(({ kind }) => kind === 'NetworkPolicy')?.spec
      expect(JSON.stringify(policy)).toContain('openshift-dns')
    }
  },
)

it.runIf(hasKustomize)('builds the overlay that the documentation gives, over either base', async () => {
  const docs = readFileSync('docs/install.md', 'utf8')
  const [, overlay = ''] = /^# overlay\/kustomization\.yaml\n([^`]+)/m.exec(docs) ?? []
  const folder = temporaryFolder()
  cpSync('deploy', join(folder, 'deploy'), { recursive: true })
  mkdirSync(join(folder, 'overlay'))
  writeFileSync(join(folder, 'overlay/tenantwatch.yaml'), 'tenants: []')
  for (const base of ['kubernetes', 'kubernetes-postgresql']) {
    const text = overlay.replace('../deploy/kubernetes', `../deploy/${base}`)
    writeFileSync(join(folder, 'overlay/kustomization.yaml'), text)
    const built = await kustomized(join(folder, 'overlay'))
    const config = built.find(({ kind }) => kind === 'ConfigMap')
    expect(config?.data).toEqual({ 'tenantwatch.yaml': 'tenants: []' })
    expect(built.find(({ kind }) => /^(StatefulSet|Deployment)$/.test(kind))?.spec).toMatchObject({
      template: {
        spec: {
          containers: [{ image: 'registry.example.com/tenantwatch:0.1.0' }],
          volumes: expect.arrayContaining([{ name: 'config', configMap: { name: config?.metadata.name } }]),
        },
      },
    })
  }
})

interface Built {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels: object }
  readonly spec?: object
  readonly data?: Readonly<Record<string, string>>
}

/** Readable by the owner and the group alone: 0440 is octal to Kubernetes, and 288. */
const tokens = { name: 'tokens', secret: { secretName: 'tenantwatch-tokens', defaultMode: 288 } }

it.runIf(isThere('systemd-analyze', 'security', '--offline=true', 'deploy/systemd/tenantwatch.service'))(
  'ships a unit that systemd takes and finds hardened',
  async () => {
    const unit = 'deploy/systemd/tenantwatch.service'
    const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
    expect(
      verified.stderr.split('\n').filter((line) => line.includes('tenantwatch') && !/is not executable/.test(line)),
    ).toEqual([])
    const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--no-pager', unit])
    const [, exposure] = /Overall exposure level for tenantwatch\.service: (\d+\.\d)/.exec(stdout) ?? []
    expect(Number(exposure)).toBeLessThan(2)
  },
)
