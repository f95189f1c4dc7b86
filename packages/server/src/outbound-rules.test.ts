import { describe, expect, test } from 'vitest'
import { isPublicAddress, mayAsk, parseAllowEntry } from './outbound-rules.js'

describe('addresses of the public internet', () => {
  test.each(['1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'])(
    '%s is one',
    (address) => expect(isPublicAddress(address)).toBe(true),
  )
  test.each(['172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0', '223.255.255.255', '8.8.8.8'])(
    '%s is one as well',
    (address) => expect(isPublicAddress(address)).toBe(true),
  )
  test.each([
    '2606:4700::1111',
    '2a00:1450:4001::200e',
    '2001:200::1',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
  ])('%s is one in IPv6', (address) => expect(isPublicAddress(address)).toBe(true))
})

describe('addresses that are not asked unless they are listed', () => {
  test.each([
    ['this network', ['0.0.0.0', '0.1.2.3']],
    [
      'private networks',
      ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
    ],
    ['this machine', ['127.0.0.1', '127.255.255.254', '::1', '::']],
    ['the link', ['169.254.0.1', '169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1']],
    ['carriers', ['100.64.0.0', '100.127.255.255', '100.100.100.200']],
    ['groups', ['224.0.0.1', '239.255.255.255', 'ff02::1', '255.255.255.255', '240.0.0.1']],
    ['documentation and tests', ['192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '2001:db8::1', '3fff::1']],
    ['clouds about themselves', ['169.254.169.254', '168.63.129.16', 'fd00:ec2::254', '192.0.0.192']],
    ['unique local ones', ['fc00::1', 'fdff::1', 'fec0::1']],
    [
      'private ones in disguise',
      ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '0:0:0:0:0:ffff:c0a8:1', '::ffff:169.254.169.254'],
    ],
    [
      'private ones behind a translator or tunnel',
      ['64:ff9b::10.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2002:a00:1::1', '2001::1'],
    ],
    ['the old form of IPv4 in IPv6', ['::127.0.0.1', '::a00:1']],
    ['what is no address', ['', 'localhost', '1.2.3', '0x7f000001', '2130706433', '127.1', '1.2.3.4.5']],
  ])('%s', (_, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([])
  })
})

describe('the list of exceptions', () => {
  const target = (host: string, address: string, port = 80) => ({ host, address, port })
  test.each([
    { list: '192.168.1.5', asked: target('192.168.1.5', '192.168.1.5'), may: true },
    { list: '192.168.1.5', asked: target('cam.lan', '192.168.1.5', 8080), may: true },
    { list: '192.168.1.5', asked: target('192.168.1.6', '192.168.1.6'), may: false },
    { list: '192.168.1.5:8080', asked: target('192.168.1.5', '192.168.1.5', 8080), may: true },
    { list: '192.168.1.5:8080', asked: target('192.168.1.5', '192.168.1.5', 80), may: false },
    { list: '10.0.0.0/8', asked: target('x', '10.200.3.4'), may: true },
    { list: '10.0.0.0/8', asked: target('x', '11.0.0.1'), may: true },
    { list: '10.0.0.0/8', asked: target('x', '127.0.0.1'), may: false },
    { list: '10.0.0.0/8', asked: target('x', '::ffff:10.0.0.1'), may: true },
    { list: '10.0.0.0/8:443', asked: target('x', '10.0.0.1', 443), may: true },
    { list: '10.0.0.0/8:443', asked: target('x', '10.0.0.1', 80), may: false },
    { list: 'cam.lan', asked: target('cam.lan', '192.168.1.5'), may: true },
    { list: 'CAM.lan.', asked: target('cam.lan.', '192.168.1.5'), may: true },
    { list: 'cam.lan', asked: target('evil.cam.lan', '192.168.1.5'), may: false },
    { list: 'cam.lan', asked: target('cam.lan.evil.example', '192.168.1.5'), may: false },
    { list: 'cam.lan:8080', asked: target('cam.lan', '192.168.1.5', 8081), may: false },
    { list: '::1', asked: target('::1', '::1'), may: true },
    { list: '[::1]:81', asked: target('::1', '::1', 81), may: true },
    { list: '[::1]:81', asked: target('::1', '::1', 80), may: false },
    { list: 'fd00::/8', asked: target('x', 'fd12::1'), may: true },
    { list: '[fd00::]/8', asked: target('x', 'fd12::1'), may: true },
    { list: '0.0.0.0/0', asked: target('x', '::1'), may: false },
  ])('$list and $asked.host at $asked.address port $asked.port: $may', ({ list, asked, may }) => {
    const entry = parseAllowEntry(list)
    expect(entry).toBeDefined()
    expect(mayAsk(asked, entry === undefined ? [] : [entry])).toBe(may)
  })

  test.each([
    '',
    'http://cam.lan',
    'cam.lan/24',
    '10.0.0.0/33',
    'fd00::/129',
    'cam.lan:0',
    'cam.lan:70000',
    '1.2.3',
    '*.lan',
    'a b',
    '[cam.lan]:80',
    'user@cam.lan',
    '10.0.0.1:8080:1',
  ])('"%s" is no entry', (text) => expect(parseAllowEntry(text)).toBeUndefined())
})
