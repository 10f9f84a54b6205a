// Pages in a browser: stepping, hovering, selecting, findings, ranges of ranks, dark and light.
//
//     node page_test.js SCHEDCC CHROMIUM FOLDER    FOLDER: the project's
//
// NODE_PATH leads to playwright-core. Prints what fails, and ends with status 1 if anything does.
"use strict";

const {chromium} = require("playwright-core");
const {execFileSync} = require("child_process");
const assert = require("assert");
const fs = require("fs"), os = require("os"), path = require("path");

const [,, schedcc, browserFile, project] = process.argv;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "schedcc-page-"));

/// The page of `schedcc show ARGUMENTS`, opened. Requests of anything but files, and errors, are failures.
const open = (page, name, ...show) => openOf(page, name, "show", ...show);
async function openOf(page, name, ...command) {
  const file = path.join(folder, name + ".html");
  execFileSync(schedcc, [...command, "--quiet", "-o", file], {cwd: project, stdio: "ignore"});
  await page.emulateMedia({colorScheme: "light", media: "screen"});
  await page.goto("file://" + file);
  await page.waitForSelector("body[data-ready]");
  return page;
}

const step = page => page.evaluate(() => Number(document.body.dataset.step));
const text = (page, selector) => page.textContent(selector);
/// A position of the diagram in the window; `find` is a function of the page.
const at = (page, find, argument) => page.evaluate(([source, argument]) => {
  const box = document.getElementById("diagram").getBoundingClientRect();
  const [x, y] = (0, eval)(source)(argument);
  return [box.left + x, box.top + y];
}, [find.toString(), argument]);
/// A point of a transfer, near its end, where others are not.
const pointOf = (page, id) => at(page, id => schedcc.diagram.pointOf(schedcc.model.transfers[id], 0.8), id);
/// A finding's mark, by their numbers, and the right part of an instruction's box.
const markOf = (page, finding, mark) => at(page, ([f, m]) => schedcc.diagram.markOf(schedcc.model.findings[f], m), [finding, mark]);
const boxOf = (page, i) => at(page, i => schedcc.diagram.boxOf(schedcc.model.instructions[i]), i);
const ring = ["ring", "--collective", "allreduce", "--ranks", "3", "--chunks", "3"];

const tests = {
  async "the keys, the slider and playing lead through the steps"(page) {
    await open(page, "ring", "ring", "--collective", "allreduce", "--ranks", "6", "--chunks", "6");
    assert.equal(await step(page), 0);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    assert.equal(await step(page), 2);
    assert.equal(await text(page, "#step"), "step 2 of 9");
    assert.equal(await page.locator("#details tr").count(), 6);
    await page.keyboard.press("End");
    assert.equal(await step(page), 9);
    await page.click("#back");
    assert.equal(await step(page), 8);
    await page.locator("#slider").fill("4");
    assert.equal(await step(page), 4);
    await page.click("#play");
    await page.waitForFunction(() => Number(document.body.dataset.step) > 4);
    assert.equal(await text(page, "#play"), "pause");
  },

  async "packets that follow each other have different colours, the last and the first as well"(page) {
    for (const packets of [2, 7, 8, 14, 15, 16, 29, 183]) {
      await open(page, "colours", "linear", "--ranks", "2", "--chunks", String(packets));
      for (const scheme of ["light", "dark"]) {
        await page.emulateMedia({colorScheme: scheme});
        const colours = await page.evaluate(packets => {
          schedcc.diagram.readStyle();
          return d3.range(packets).map(schedcc.diagram.colour);
        }, packets);
        for (const next of [1, 2, 3]) {
          if (packets <= next) continue;
          colours.forEach((colour, i) => assert.notEqual(colour, colours[(i + next) % packets], `${i} of ${packets}`));
        }
        if (packets <= 14) assert.equal(new Set(colours).size, packets);
      }
    }
  },

  async "a transfer under the pointer says what it is, and a click follows its packet"(page) {
    await open(page, "reduce", "ring", "--collective", "allreduce", "--ranks", "6", "--chunks", "6");
    const t = await page.evaluate(() => {
      const t = schedcc.model.transfers.find(t => t.step.number === 2 && t.src === 3);
      return {id: t.id, dst: t.dst, chunk: t.first, holds: t.reduce};
    });
    await page.mouse.move(...await pointOf(page, t.id));
    const tip = await text(page, "#tip");
    assert(tip.includes(`step 2: rank 3 → rank ${t.dst}\npacket ${t.chunk}, added`), tip);
    assert(/contributions of \d-\d/.test(tip), tip);
    await page.mouse.click(...await pointOf(page, t.id));
    assert.equal(await page.inputValue("#packet"), String(t.chunk));
    assert.equal(await step(page), 2);
    const carried = await page.evaluate(c => schedcc.model.transfers.filter(t => t.first <= c && c < t.first + t.count).length, t.chunk);
    assert.equal(await page.locator("#details tr").count(), carried);
    assert.equal(carried, 10);
    await page.keyboard.press("End");
    assert((await text(page, "#details")).includes("complete at 5 of 6"));
    await page.keyboard.press("Escape");
    assert.equal(await page.inputValue("#packet"), "");
  },

  async "a click on a rank follows it"(page) {
    await open(page, "tree", "binomial-tree", "--ranks", "16");
    await page.mouse.click(...await at(page, v => schedcc.diagram.numberOf(v), 8));
    assert.equal(await page.inputValue("#rank"), "8");
    assert.equal(await page.locator("#details tr").count(), 4);
    assert.equal(await text(page, "#network-title"), "Tree");
    await page.locator("#network g g").filter({has: page.locator("title", {hasText: /^rank 3$/})}).click();
    assert.equal(await page.inputValue("#rank"), "3");
  },

  async "a wrong schedule has its findings where they are"(page) {
    await open(page, "twice", "schedules/bad/counted-twice.sched");
    assert.equal(await text(page, "#verdict"), "✗ violated: delivery");
    assert.equal(await page.locator("#findings li").count(), 1);
    assert((await text(page, "#findings li")).includes("is counted twice"));
    await page.mouse.move(...await at(page, () => schedcc.diagram.markOf(schedcc.model.findings[0])));
    assert((await text(page, "#tip")).includes("the contribution of rank 1 is counted twice"));
    await page.click("#findings li");
    assert.equal(await step(page), 2);
    assert.equal(await page.inputValue("#packet"), "0");
    await page.mouse.move(...await pointOf(page, 3));
    assert((await text(page, "#tip")).includes("schedules/bad/counted-twice.sched:17"));
  },

  async "ranks that do not exist, and chunks that are not held, do not hinder"(page) {
    for (const name of ["out-of-range", "too-eager"]) {
      await open(page, name, `schedules/bad/${name}.sched`);
      await page.keyboard.press("n");
      assert.equal(await page.locator("#findings li.chosen").count(), 1);
    }
  },

  async "the page of a cost follows the critical path"(page) {
    const cost = ["cost", "chain", "--ranks", "5", "--chunks", "3", "--bytes", "3MB", "--alpha", "1us", "--beta", "1GB/s"];
    await openOf(page, "cost", ...cost);
    const report = JSON.parse(execFileSync(schedcc, [...cost, "--critical-path", "--json"], {encoding: "utf8"}));
    const rows = page.locator("#details tr");
    assert.equal(await text(page, "#details-title"), `Critical path: ${report.critical_path.length} transfers`);
    for (const [i, message] of report.critical_path.entries()) {
      const row = await rows.nth(i).textContent();
      assert(row.startsWith(`step ${message.step}${message.src} → ${message.dst}`), row);
    }
    assert((await rows.first().textContent()).includes("0 s to 1.001 ms"));
    assert((await text(page, "#figures")).includes("asynchronous6.006 ms"));
    await page.mouse.move(...await pointOf(page, 0));
    assert((await text(page, "#tip")).includes("critical path: 0 s to 1.001 ms"));
    await page.keyboard.press("c");
    assert((await text(page, "#details-title")).startsWith("This step"));
    await page.click("#path");
    assert.equal(await page.getAttribute("#path", "aria-pressed"), "true");
    await openOf(page, "bsp", "cost", "chain", "--ranks", "5", "--bytes", "3MB", "--model", "bsp:l=1us,g=1ns/B");
    assert(!await page.isVisible("#path"));
    assert((await text(page, "#figures")).includes("synchronous"));
  },

  async "a program has a track for each threadblock, and its races"(page) {
    await open(page, "race", "schedules/bad/race.xml");
    assert.equal(await page.locator("#network circle").count(), 4);
    await page.mouse.move(...await markOf(page, 0, 0));
    assert((await text(page, "#tip")).includes("their order is undefined"));
    await page.mouse.move(...await markOf(page, 0, 1));
    assert((await text(page, "#tip")).includes("their order is undefined"));
    await page.mouse.move(...await pointOf(page, 0));
    assert((await text(page, "#tip")).startsWith("message\nGPU 0 tb 0: s i[0]"));
    assert.deepEqual(await page.locator("#findings button").allTextContents(), ["GPU 1 tb 1: s o[0]", "GPU 1 tb 0: r > o[0]"]);
    const marked = page => page.evaluate(() => schedcc.model.findings[0].marks.map(m => m.inStep.number));
    const [first, second] = await marked(page);
    assert.notEqual(first, second);
    await page.locator("#findings button").nth(1).click();
    assert.equal(await step(page), second);
    await page.keyboard.press("n");
    assert.equal(await step(page), first);
    await page.keyboard.press("n");
    assert.equal(await step(page), second);
  },

  async "an execution plan has its operations, with their peers, channels and ranges"(page) {
    const plan = path.join(folder, "plan.json");
    execFileSync(schedcc, ["compile", ...ring, "--quiet", "-o", plan, "--emit", "mscclpp"]);
    await open(page, "plan", plan);
    assert.equal(await text(page, "#verdict"), "✓ holds");
    const put = await page.evaluate(() => schedcc.model.instructions.findIndex(i => i.text.startsWith("put ")));
    await page.mouse.move(...await boxOf(page, put));
    const lines = (await text(page, "#tip")).split("\n");
    assert(/^GPU 0 tb 0, operation \d+$/.test(lines[0]), lines[0]);
    assert(/^put [io]\[\d\] > 2:[os]\[\d\]$/.test(lines[1]), lines[1]);
    assert(/^writes GPU 2 [os]\[\d\]$/.test(lines[3]), lines[3]);
    assert(lines.includes("memory channel"), lines);
    assert(/plan\.json:\d+$/.test(lines[lines.length - 1]), lines);
    const message = await page.evaluate(() => schedcc.model.transfers.find(t => t.to === null).id);
    await page.mouse.move(...await pointOf(page, message));
    assert(/^message\nGPU . tb 0: put .*\n→ GPU . memory$/.test(await text(page, "#tip")), await text(page, "#tip"));
    const signal = await page.evaluate(() => schedcc.model.transfers.find(t => t.mode === 3).id);
    await page.mouse.move(...await boxOf(page, await page.evaluate(id => schedcc.model.transfers[id].from, signal)));
    assert(/\nmemory channel \d to GPU \d\nmemory channel \d to GPU \d\n/.test(await text(page, "#tip")), await text(page, "#tip"));
    await page.mouse.move(...await pointOf(page, signal));
    assert(/^signal\nGPU . tb 0: rlxsignal .*\n→ GPU . tb 0: rlxwait .*$/.test(await text(page, "#tip")), await text(page, "#tip"));
    assert.deepEqual(await page.locator("#network text").allTextContents(), ["GPU 0", "GPU 1", "GPU 2", "memory", "tb 0", "", "0", "", "0", "", "0"]);
    await page.locator("#rank").fill("1");
    await page.locator("#rank").dispatchEvent("change");
    assert((await text(page, "#details-title")).startsWith("GPU 1: "));
    await page.locator("#from").fill("1");
    await page.locator("#to").fill("1");
    await page.locator("#to").dispatchEvent("change");
    assert((await text(page, "#scope")).includes("GPUs 1 to 1 of 3"));
  },

  async "the races and the missing signals of a plan are at its operations"(page) {
    const right = execFileSync(schedcc, ["compile", ...ring, "--quiet", "--emit", "mscclpp"], {encoding: "utf8"});
    const file = path.join(folder, "wrong.json");
    fs.writeFileSync(file, right.replace(/"(signal|wait)"/g, '"nop"'));
    await open(page, "plan-race", file);
    assert.equal(await text(page, "#verdict"), "✗ violated: races");
    for (const mark of [0, 1]) {
      await page.locator("#findings li").first().locator("button").nth(mark).click();
      await page.mouse.move(...await markOf(page, 0, mark));
      assert((await text(page, "#tip")).includes("their order is undefined"));
    }
    fs.writeFileSync(file, right.replace('"signal"', '"nop"'));
    await open(page, "plan-signal", file);
    assert.equal(await text(page, "#verdict"), "✗ violated: matching, deadlock");
    await page.keyboard.press("n");
    const waits = await page.evaluate(() => schedcc.model.instructions.findIndex(i => i.findings.length === 2));
    await page.mouse.move(...await boxOf(page, waits));
    assert((await text(page, "#tip")).includes("waits for a signal that never comes"), await text(page, "#tip"));
  },

  async "of many ranks a part is shown, which can be chosen"(page) {
    await open(page, "many", "binomial-tree", "--ranks", "1000");
    assert((await text(page, "#scope")).includes("ranks 0 to 255 of 1000"));
    await page.locator("#to").fill("999");
    await page.locator("#from").fill("990");
    await page.locator("#from").dispatchEvent("change");
    assert((await text(page, "#scope")).includes("ranks 990 to 999 of 1000"));
    await page.locator("#step-from").fill("5");
    await page.locator("#step-from").dispatchEvent("change");
    assert((await text(page, "#scope")).includes("steps 5 to 9"));
  },

  async "a part is written if it is asked for"(page) {
    await open(page, "part", "ring", "--ranks", "64", "--ranks", "10..12", "--steps", "3..4");
    assert.equal(await page.evaluate(() => schedcc.model.transfers.length), 8);
    assert((await text(page, "#scope")).includes("ranks 10 to 12 of 64, steps 3 to 4"));
  },

  async "dark and light"(page) {
    await open(page, "dark", "chain", "--ranks", "4", "--chunks", "3");
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await back();
    await page.emulateMedia({colorScheme: "dark"});
    assert.notEqual(await back(), light);
    await page.click("#theme");
    assert.equal(await back(), light);
    await page.emulateMedia({media: "print"});
    assert(!await page.isVisible("nav"));
  },

  async "on paper is the whole diagram"(page) {
    await open(page, "paper", "pairwise", "--ranks", "40");
    const inside = () => page.evaluate(() => {
      const [x] = schedcc.diagram.pointOf(schedcc.model.transfers[schedcc.model.transfers.length - 1], 1);
      const [, y] = schedcc.diagram.numberOf(39), {clientWidth, clientHeight} = document.getElementById("diagram");
      return x <= clientWidth && y <= clientHeight;
    });
    assert(!await inside());
    await page.emulateMedia({colorScheme: "dark"});
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    assert(await inside());
    assert.equal(await page.getAttribute("html", "data-theme"), "light");
    await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    assert.equal(await page.getAttribute("html", "data-theme"), "dark");
    assert(await page.evaluate(() => !document.body.classList.contains("printing")));
  },

  async "machines have their networks"(page) {
    await open(page, "fattree", "xor", "--ranks", "8");
    assert.equal(await text(page, "#network-title"), "Fat tree");
    assert.equal(await page.locator("#network rect").count(), 7);
    await open(page, "mesh", "ring", "--ranks", "12", "--machine", "mesh:3x4");
    assert.equal(await text(page, "#network-title"), "Mesh");
    await open(page, "dgx", "ring", "--ranks", "8", "--machine", "dgx-1");
    assert.equal(await text(page, "#network-title"), "Topology");
    assert.equal(await page.locator("#network .link").count(), 16);
    await open(page, "logp", "karp", "--ranks", "8", "--machine", "logp:L=6,o=2,g=4");
    assert((await text(page, "#step")).startsWith("cycle 0"));
    await open(page, "one", "chain", "--ranks", "1");
    await page.keyboard.press("ArrowRight");
  },
};

(async () => {
  const browser = await chromium.launch({executablePath: browserFile, args: ["--no-sandbox"]});
  const page = await browser.newPage({viewport: {width: 1100, height: 600}});
  page.on("pageerror", error => { throw error; });
  page.on("request", request => assert(request.url().startsWith("file:"), request.url()));
  let failed = 0;
  process.on("uncaughtException", error => { console.error(error); process.exit(1); });
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(page);
    } catch (error) {
      ++failed;
      console.error(`${name}: ${error.stack}`);
    }
  }
  await browser.close();
  fs.rmSync(folder, {recursive: true});
  console.log(`${Object.keys(tests).length} tests, ${failed} failed`);
  process.exit(failed > 0 ? 1 : 0);
})();
