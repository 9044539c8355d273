import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { temporaryFolder } from '../support/temporary.ts'

const run = promisify(execFile)
const isThere = (program: string, ...args: readonly string[]) => spawnSync(program, args).status === 0

it('ships a configuration of Prometheus that its own tool takes', async () => {
  const folder = temporaryFolder()
  // The tool requires the rules at the configured path.
  const text = readFileSync('deploy/compose/prometheus.yml', 'utf8')
  writeFileSync(join(folder, 'prometheus.yml'), text.replace('/etc/prometheus/', './'))
  copyFileSync('config/prometheus/rules.yml', join(folder, 'rules.yml'))
  const { stdout } = await run('promtool', ['check', 'config', join(folder, 'prometheus.yml')])
  expect(stdout).toContain('1 rule files found')
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

it.runIf(hasKustomize)(
  'builds the overlay that the documentation gives, with its patches, over either base, for OpenShift as well',
  async () => {
    const docs = readFileSync('docs/install.md', 'utf8')
    const [, overlay = ''] = /^# overlay\/kustomization\.yaml\n([^`]+)/m.exec(docs) ?? []
    const patches = [...docs.matchAll(/^patches:\n([^`]+)/gm)].map(([, text = '']) => text)
    expect(patches.length).toBeGreaterThan(1)
    const folder = temporaryFolder()
    cpSync('deploy', join(folder, 'deploy'), { recursive: true })
    mkdirSync(join(folder, 'overlay'))
    writeFileSync(join(folder, 'overlay/tenantwatch.yaml'), 'tenants: []')
    for (const base of ['kubernetes', 'kubernetes-postgresql']) {
      const text = overlay.replace('../deploy/kubernetes', `../deploy/${base}`)
      const file = join(folder, 'overlay/kustomization.yaml')
      writeFileSync(file, `${text}components: [../deploy/openshift]\n`)
      const onOpenShift = JSON.stringify(await kustomized(join(folder, 'overlay')))
      expect(onOpenShift).not.toMatch(/runAsUser|runAsGroup|fsGroup"/)
      expect(onOpenShift).toContain('openshift-dns')
      writeFileSync(file, `${text}patches:\n${patches.join('')}`)
      const built = await kustomized(join(folder, 'overlay'))
      expect(JSON.stringify(built.find(({ kind }) => kind === 'NetworkPolicy'))).toContain('3128')
      const config = built.find(({ kind }) => kind === 'ConfigMap')
      expect(config?.data).toEqual({ 'tenantwatch.yaml': 'tenants: []' })
      expect(built.find(({ kind }) => /^(StatefulSet|Deployment)$/.test(kind))?.spec).toMatchObject({
        template: {
          spec: {
            containers: [
              {
                image: 'registry.example.com/tenantwatch:0.1.0',
                envFrom: [{ secretRef: { name: 'notifications' } }],
              },
            ],
            volumes: expect.arrayContaining([{ name: 'config', configMap: { name: config?.metadata.name } }]),
          },
        },
      })
    }
  },
)

interface Built {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels: object }
  readonly spec?: object
  readonly data?: Readonly<Record<string, string>>
}

const chart = 'deploy/helm/tenantwatch'
const values = 'config.tenants[0].name=acme'

async function charted(...set: readonly string[]): Promise<readonly Built[]> {
  const args = ['template', 'tenantwatch', chart, ...set.flatMap((one) => ['--set', one])]
  const { stdout } = await run('helm', args, { maxBuffer: 1 << 24 })
  return parseAllDocuments(stdout, { merge: true }).map((document) => document.toJS() as Built)
}

const hasHelm = isThere('helm', 'version')

it.runIf(hasHelm && hasKustomize)('renders a chart with the pods of the manifests', async () => {
  const containers = (built: readonly Built[]) => {
    const { spec } = built.find(({ kind }) => /^(StatefulSet|Deployment)$/.test(kind)) as unknown as Workload
    const [{ image: _, imagePullPolicy: __, volumeMounts, ...container }] = spec.template.spec.containers
    return { container, volumeMounts: volumeMounts.toSorted((a, b) => (a.name < b.name ? -1 : 1)) }
  }
  const [one, several] = [await kustomized('deploy/kubernetes'), await kustomized('deploy/kubernetes-postgresql')]
  expect(containers(await charted(values))).toEqual(containers(one))
  expect(containers(await charted(values, 'databaseSecret=tenantwatch-database'))).toEqual(containers(several))
})

interface Workload {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [
          { readonly volumeMounts: readonly { readonly name: string }[] } & Record<string, unknown>,
        ]
      }
    }
  }
}

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
