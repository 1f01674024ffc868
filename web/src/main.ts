import { mount } from "svelte";
import "./app.css";
import App from "./App.svelte";
import { isStatic } from "./lib/api";

mount(App, { target: document.getElementById("app") as HTMLElement });

// On a file host nothing but the browser can keep the page for when there is no network.
if (isStatic) void navigator.serviceWorker?.register("sw.js");
