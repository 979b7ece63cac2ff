"use strict";
// Draws the charts that the page's data describe: [{id, type, unit, labels, series}], each into the figure of that id.
//   type "bars": series [{name, color, values}], one value for each label, stacked; intervals, if any: [from, to] for
//   each label.
//   type "timeline": series [{name, color, bars}], a bar [label's number, begin, end, what]; bars may be many in a row.
(() => {
  const charts = JSON.parse(document.getElementById("data").textContent);
  const drawn = [];

  // Colours of the page's theme, asked for once until it changes.
  const theme = new Map();
  function themed(name) {
    if (!theme.has(name)) theme.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
    return theme.get(name);
  }

  const shortened = (text) => (text.length > 20 ? text.slice(0, 19) + "…" : text);
  const quantity = (value, unit) => `${Number(value.toPrecision(4))} ${unit}`;

  function datasetOf(chart, series) {
    const shared = { label: series.name, backgroundColor: () => themed(`--phase-${series.color}`) };
    if (chart.type === "bars") return { ...shared, data: series.values, stack: "all" };
    const data = series.bars.map(([row, begin, end, what]) => ({ x: [begin, end], y: chart.labels[row], what }));
    return { ...shared, data, grouped: false, barPercentage: 0.95, categoryPercentage: 0.9 };
  }

  // A line from the one to the other value over each bar, with ends that are seen when it is short.
  const intervals = {
    id: "intervals",
    afterDatasetsDraw(view, _, { of }) {
      const { x, y } = view.scales;
      view.ctx.strokeStyle = themed("--text");
      view.ctx.lineWidth = 1.5;
      view.ctx.beginPath();
      of.forEach((values, row) => {
        const [from, to] = values.map((value) => x.getPixelForValue(value));
        const middle = y.getPixelForValue(row);
        view.ctx.moveTo(from, middle);
        view.ctx.lineTo(to, middle);
        for (const end of [from, to]) {
          view.ctx.moveTo(end, middle - 5);
          view.ctx.lineTo(end, middle + 5);
        }
      });
      view.ctx.stroke();
    },
  };

  function tooltipOf(chart) {
    return (item) => {
      const name = item.dataset.label;
      if (chart.type === "bars") return `${name}: ${quantity(item.raw, chart.unit)}`;
      const [begin, end] = item.raw.x;
      return `${item.raw.what} ${name}: ${quantity(end - begin, chart.unit)}, from ${quantity(begin, chart.unit)}`;
    };
  }

  function optionsOf(chart) {
    const stacked = chart.type === "bars";
    const soft = () => themed("--soft");
    const grid = { color: () => themed("--line") };
    const suggestedMax = Math.max(0, ...(chart.intervals ?? []).map(([, to]) => to));
    return {
      locale: "en",
      indexAxis: "y",
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: "nearest", intersect: true },
      plugins: {
        legend: { display: false },
        tooltip: { callbacks: { label: tooltipOf(chart) } },
        intervals: { of: chart.intervals ?? [] },
      },
      scales: {
        x: { stacked, min: 0, suggestedMax, grid, ticks: { color: soft }, title: { display: true, text: chart.unit, color: soft } },
        y: {
          stacked,
          grid,
          ticks: {
            autoSkip: false,
            color: soft,
            callback(value) {
              return shortened(this.getLabelForValue(value));
            },
          },
        },
      },
    };
  }

  function paint({ chart, view, swatches }) {
    chart.series.forEach((series, i) => {
      swatches[i].style.backgroundColor = themed(`--phase-${series.color}`);
    });
    view.update("none");
  }

  // Buttons, since the library's own legend can be clicked but not reached by the keyboard.
  function legendOf(chart, view, legend) {
    return chart.series.map((series, i) => {
      const button = document.createElement("button");
      const swatch = document.createElement("span");
      button.type = "button";
      button.setAttribute("aria-pressed", "true");
      swatch.className = "swatch";
      button.append(swatch, series.name);
      button.addEventListener("click", () => {
        const shown = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(shown));
        view.setDatasetVisibility(i, shown);
        view.update("none");
      });
      legend.append(button);
      return swatch;
    });
  }

  for (const chart of charts) {
    const figure = document.getElementById(chart.id);
    const view = new Chart(figure.querySelector("canvas"), {
      type: "bar",
      data: { labels: chart.labels, datasets: chart.series.map((series) => datasetOf(chart, series)) },
      options: optionsOf(chart),
      plugins: [intervals],
    });
    drawn.push({ chart, view, swatches: legendOf(chart, view, figure.querySelector(".legend")) });
  }
  drawn.forEach(paint);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    theme.clear();
    drawn.forEach(paint);
  });
})();
